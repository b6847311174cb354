//! Time and identity, as arguments.

use baton_types::Timestamp;

/// The wall clock.
pub trait Clock: Send + Sync + 'static {
    /// The present moment.
    fn now(&self) -> Timestamp;
}

/// A source of identifiers that never repeat.
pub trait Ids: Send + Sync + 'static {
    /// A fresh identifier, time-ordered so that storage stays local.
    fn fresh(&self) -> String;
}
