//! Sources of time and of unique ids.

use crate::Timestamp;

/// The wall clock.
pub trait Clock: Send + Sync + 'static {
    /// The current time.
    fn now(&self) -> Timestamp;
}

/// Generates unique ids.
pub trait IdGenerator: Send + Sync + 'static {
    /// A new id, time-ordered for storage locality.
    fn next_id(&self) -> String;
}
