//! Turns a peer's unreliable streams into its events, once each and in order.
//!
//! [`TaskTracker`] is the pure part: it records received events and returns only new ones. [`TaskFollower`] connects,
//! waits and retries. [`event_encoder::PeerEventEncoder`] converts new items to engine events.

mod artifacts;
mod cursors;
mod driver;
mod event_encoder;
mod outcome;
mod overlap;
mod poll;
mod tracker;

pub use driver::PeerTaskStream;
pub(crate) use driver::{FollowStart, TaskFollower};
pub(crate) use outcome::outcome;
pub(crate) use poll::{is_ended, is_missing, is_unknown_method};
pub use tracker::TaskTracker;

/// Maximum number of content bytes kept per task.
pub(crate) const MAX_CONTENT: usize = 4 * 1024 * 1024;
/// Maximum number of artifacts kept per task.
pub(crate) const MAX_ARTIFACTS: usize = 64;
