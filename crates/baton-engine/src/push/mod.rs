//! Push notifications for task events: configuration and delivery.

mod courier;
mod create;
mod delete;
mod deliver;
mod get;
mod lanes;
mod list;
mod orders;
mod place;

pub(crate) use orders::DeliveryQueue;
pub(crate) use place::{PushConfigChange, PushConfigLocks};

/// Outbox channel of push notifications.
pub(crate) const CHANNEL: &str = "push";

/// Maximum push configurations per task.
const MAX_PER_TASK: usize = 16;
