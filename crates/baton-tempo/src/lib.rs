//! A Tempo elsewhere as a span store, alone or beside the embedded one.
//!
//! Queries go there in canonical TraceQL. This crate must never keep spans itself, never waits for a Tempo longer than its
//! patience, never passes a question on that was here before, and never lets a Tempo that does not answer hide what the
//! embedded store knows.
//!
//! Read first: [`TempoSpans`] (a Tempo behind the port), [`TeeSpans`] (both asked, one answer), [`Options`] (where it is
//! and how long it may take).

mod failure;
mod join;
mod line;
mod options;
mod pieces;
mod read;
mod reading;
mod spans;
mod tee;
mod widen;

pub use failure::SetupError;
pub use options::{HeaderSource, Options};
pub use reading::TempoReads;
pub use spans::TempoSpans;
pub use tee::{TeeOptions, TeeSpans};

use baton_ports::Clock;

/// The present moment, in nanoseconds since the Unix epoch.
fn now(clock: &dyn Clock) -> u64 {
    u64::try_from(clock.now().as_millis()).unwrap_or(0).saturating_mul(1_000_000)
}
