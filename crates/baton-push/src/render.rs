//! Body of a push notification.

use baton_ports::{TaskNotification, WebhookError};
use baton_types::{A2aSettings, JournalEvent, PushDialect, TaskEvent};
use baton_wire::a2a::{v1, v03};
use serde::Serialize;

/// The event in the receiver's dialect; `None` if the dialect does not represent it.
pub(crate) fn render_body(
    dialect: PushDialect,
    notice: TaskNotification<'_>,
    server: A2aSettings,
) -> Result<Option<Vec<u8>>, WebhookError> {
    let TaskNotification { task, event, a2a } = notice;
    let JournalEvent::Task(fact) = &event.fact else { return Ok(None) };
    if !fact.is_visible() {
        return Ok(None);
    }
    let request = v1::PresentationRequest::default();
    let presentation = v1::Presentation::resolve(a2a.or(server), task.tool_execution, request);
    let full_task = || v1::Task::from_view(task, v1::HistoryLength::All, v1::ArtifactInclusion::Include, presentation);
    let answered = task.status_message.as_ref().is_some_and(|message| task.has_artifact_of(message));
    match (dialect, fact) {
        (PushDialect::V03, _) => to_json(&v03::Task::from(full_task())).map(Some),
        // Like streams, notifications start with the task.
        (PushDialect::V1, TaskEvent::Submitted { .. }) => to_json(&v1::StreamResponse::from(full_task())).map(Some),
        (PushDialect::V1, _) => v1::project(&task.id, &task.context, event.at, fact, presentation, answered)
            .as_ref()
            .map(to_json)
            .transpose(),
    }
}

fn to_json(value: &impl Serialize) -> Result<Vec<u8>, WebhookError> {
    serde_json::to_vec(value)
        .map_err(|error| WebhookError::Failed(format!("the notification cannot be written: {error}")))
}
