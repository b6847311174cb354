//! From a peer's streams, which break, to what it did, once and in order.
//!
//! [`Seen`] is the pure half: it knows what was heard and gives only what is new. [`Follow`] is the half that connects,
//! waits and asks again. [`words::Words`] turns what is new into what the engine hears.

mod artifacts;
mod cursors;
mod driver;
mod looks;
mod outcome;
mod overlap;
mod seen;
mod words;

pub use driver::Followed;
pub(crate) use driver::{Begin, Follow};
pub(crate) use looks::{is_ended, is_missing, is_unknown_method};
pub(crate) use outcome::outcome;
pub use seen::Seen;

/// Most bytes of text or data that are kept of one task.
pub(crate) const MAX_CONTENT: usize = 4 * 1024 * 1024;
/// Most outputs that are kept of one task.
pub(crate) const MAX_ARTIFACTS: usize = 64;
