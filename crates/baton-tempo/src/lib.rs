//! Span store over a remote Tempo, alone or combined with the embedded store.
//!
//! Queries are sent in canonical TraceQL. This crate must never store spans, never waits for a Tempo longer than the
//! configured timeout, never forwards a query that has already passed through this process, and never lets an
//! unavailable Tempo hide spans of the embedded store.
//!
//! Read first: [`TempoSpans`] (a Tempo behind the port), [`TeeSpans`] (queries both stores and merges the results),
//! [`TempoOptions`] (address, timeout and retries).

mod client;
mod failure;
mod join;
mod options;
mod pieces;
mod read;
mod read_store;
mod rewrite;
mod spans;
mod tee;

pub use failure::SetupError;
pub use options::{HeaderSource, TempoOptions};
pub use read_store::TempoReadStore;
pub use spans::TempoSpans;
pub use tee::{TeeOptions, TeeSpans};

use baton_types::Clock;

/// Current time in nanoseconds since the Unix epoch.
fn now(clock: &dyn Clock) -> u64 {
    u64::try_from(clock.now().as_millis()).unwrap_or(0).saturating_mul(1_000_000)
}
