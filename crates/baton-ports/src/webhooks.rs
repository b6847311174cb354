//! Telling receivers outside what happened to a task.

use crate::{BoxFuture, StoredEvent};
use baton_types::{A2aSettings, PushConfig, TaskView};

/// One event, and the task as it was right after it.
#[derive(Clone, Copy, Debug)]
pub struct Notice<'a> {
    /// The task as of the event.
    pub task: &'a TaskView,
    /// What happened.
    pub event: &'a StoredEvent,
    /// How the agent's answers appear.
    pub a2a: A2aSettings,
}

/// What became of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notified {
    /// The receiver took it.
    Delivered,
    /// The receiver's dialect does not show such events.
    NothingToSay,
}

/// Why a notification did not arrive.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WebhookError {
    /// The address may not be used.
    #[error("{0}")]
    Forbidden(String),
    /// The receiver did not take it this time.
    #[error("{0}")]
    Failed(String),
}

/// Writes notifications in the receiver's dialect and posts them.
pub trait Webhooks: Send + Sync + 'static {
    /// Whether notifications may go to this receiver at all.
    fn admit<'a>(&'a self, config: &'a PushConfig) -> BoxFuture<'a, Result<(), WebhookError>>;

    /// Tells the receiver once; bounded in time.
    fn notify<'a>(
        &'a self,
        config: &'a PushConfig,
        notice: Notice<'a>,
    ) -> BoxFuture<'a, Result<Notified, WebhookError>>;
}
