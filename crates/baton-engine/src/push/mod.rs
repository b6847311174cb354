//! Telling receivers outside of a task's events: where they are kept, and who carries the notifications.

mod courier;
mod create;
mod delete;
mod deliver;
mod get;
mod lanes;
mod list;
mod orders;
mod place;

pub(crate) use orders::Orders;
pub(crate) use place::{PlaceLocks, Placing};

/// The courier's orders in the journal's outbox.
pub(crate) const CHANNEL: &str = "push";

/// Push configurations of one task.
const MAX_PER_TASK: usize = 16;
