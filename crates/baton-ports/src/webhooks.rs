//! Push notifications of task events to external receivers.

use crate::{BoxFuture, StoredEvent};
use baton_types::{A2aSettings, PushConfig, TaskView};

/// One event, and the task state right after it.
#[derive(Clone, Copy, Debug)]
pub struct TaskNotification<'a> {
    /// The task as of the event.
    pub task: &'a TaskView,
    /// The event.
    pub event: &'a StoredEvent,
    /// A2A settings for the presentation of the agent's answers.
    pub a2a: A2aSettings,
}

/// Outcome of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotificationOutcome {
    /// The receiver accepted it.
    Delivered,
    /// The receiver's protocol has no representation of this event.
    NotApplicable,
}

/// Error of a notification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// The address is not allowed.
    #[error("{0}")]
    Forbidden(String),
    /// The delivery failed this time.
    #[error("{0}")]
    Failed(String),
}

/// Encodes notifications in the receiver's protocol and posts them.
pub trait WebhookSender: Send + Sync + 'static {
    /// Checks whether notifications to this receiver are allowed.
    fn check_receiver<'a>(&'a self, config: &'a PushConfig) -> BoxFuture<'a, Result<(), WebhookError>>;

    /// Sends one notification; bounded in time.
    fn notify<'a>(
        &'a self,
        config: &'a PushConfig,
        notice: TaskNotification<'a>,
    ) -> BoxFuture<'a, Result<NotificationOutcome, WebhookError>>;
}
