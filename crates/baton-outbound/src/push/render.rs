//! The body of a notification.

use baton_ports::{Notice, WebhookError};
use baton_types::{Fact, PushDialect};
use baton_wire::a2a::{v1, v03};
use serde::Serialize;

/// What the receiver's dialect says about the event; `None` when it says nothing.
pub(super) fn body(dialect: PushDialect, notice: Notice<'_>) -> Result<Option<Vec<u8>>, WebhookError> {
    let Notice { task, event } = notice;
    let Fact::Task(fact) = &event.fact else { return Ok(None) };
    match dialect {
        PushDialect::V1 => v1::project(&task.id, &task.context, event.at, fact).as_ref().map(written).transpose(),
        PushDialect::V03 if fact.is_shown() => {
            let task = v1::Task::of(task, v1::HistoryLength::All, v1::ArtifactChoice::Include);
            written(&v03::Task::from(task)).map(Some)
        }
        PushDialect::V03 => Ok(None),
    }
}

fn written(value: &impl Serialize) -> Result<Vec<u8>, WebhookError> {
    serde_json::to_vec(value)
        .map_err(|error| WebhookError::Failed(format!("the notification cannot be written: {error}")))
}
