//! Push notifications for task events: configuration and delivery.

mod config_change;
mod create;
mod delete;
mod deliver;
mod delivery_queue;
mod dispatcher;
mod get;
mod host_queues;
mod list;

pub(crate) use config_change::{PushConfigChange, PushConfigLocks};
pub(crate) use delivery_queue::DeliveryQueue;

/// Outbox channel of push notifications.
pub(crate) const CHANNEL: &str = "push";

/// Maximum push configurations per task.
const MAX_PER_TASK: usize = 16;
