//! Maps journaled events to A2A stream items.

use super::{
    Artifact, Message, Presentation, StreamResponse, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
};
use baton_types::{ContextId, Json, TaskEvent, TaskId, TextDelivery, Timestamp};
use serde_json::json;
use std::borrow::Cow;

/// Metadata key of a status update that reports a tool result.
pub const TOOL_RESULT_KEY: &str = "baton/toolResult";
/// Metadata key of a status update that reports a handoff to another agent.
pub const HANDOFF_KEY: &str = "baton/handoff";
/// Metadata key of a status update with the reason that the task did not complete.
pub const REASON_KEY: &str = "baton/reason";

/// The stream item for an event, or `None` for events without an A2A form. `answered`: an artifact already contains the
/// message of a completed status.
pub fn project<'a>(
    task: &'a TaskId,
    context: &'a ContextId,
    at: Timestamp,
    event: &'a TaskEvent,
    presentation: Presentation,
    answered: bool,
) -> Option<StreamResponse<'a>> {
    let within = |message: &'a baton_types::Message| Message::in_task(message, context, task);
    let status = |state: TaskState, message: Option<Message<'a>>, metadata: Option<Json>| {
        StreamResponse::from(TaskStatusUpdateEvent {
            task_id: Cow::Borrowed(task.as_str()),
            context_id: Cow::Borrowed(context.as_str()),
            status: TaskStatus { state, message, timestamp: Some(at) },
            metadata,
        })
    };
    let working = TaskState::Working;
    match event {
        TaskEvent::Submitted { .. }
        | TaskEvent::MessageReceived { .. }
        | TaskEvent::RunOptionsSet { .. }
        | TaskEvent::TextFlushed { .. }
        | TaskEvent::RunResumed { .. }
        | TaskEvent::RunPaused { .. }
        | TaskEvent::ContextSelected { .. }
        | TaskEvent::AttemptStarted { .. }
        | TaskEvent::ModelNoted { .. }
        | TaskEvent::ReasoningProduced { .. }
        | TaskEvent::Compacted { .. }
        | TaskEvent::GuardrailChecked { .. }
        | TaskEvent::PeerSendStarted { .. }
        | TaskEvent::PeerAttached { .. }
        | TaskEvent::ToolStarted { .. }
        | TaskEvent::ToolInputRequested { .. }
        | TaskEvent::ToolInputReceived { .. }
        | TaskEvent::HandoffInputRequested { .. }
        | TaskEvent::HandoffInputReceived { .. } => None,
        TaskEvent::RunStarted { .. } => Some(status(working, None, None)),
        TaskEvent::ToolsCalled { message, .. } => {
            Some(status(working, presentation.calls_message(within(message)), None))
        }
        TaskEvent::ToolFinished { result } => {
            let (call, name) = (&result.call, &result.name);
            let (output, is_error) = (&result.output, result.is_error);
            let metadata =
                note_metadata(TOOL_RESULT_KEY, &ToolResultNote { call_id: call.as_str(), name, output, is_error });
            Some(status(working, None, metadata))
        }
        TaskEvent::HandoffSent { handoff, agent, child, .. } => {
            let note = json!({"handoffId": handoff.as_str(), "agent": agent.as_str(), "taskId": child.as_str()});
            Some(status(working, None, note_metadata(HANDOFF_KEY, &note)))
        }
        TaskEvent::ArtifactEmitted { artifact } => Some(complete_artifact(task, context, Artifact::from(artifact))),
        TaskEvent::Answered { message, .. } if presentation.has_answer_artifacts() => {
            Some(complete_artifact(task, context, Artifact::from_answer(message)))
        }
        TaskEvent::Answered { message, .. } => {
            let is_live = presentation.text == TextDelivery::Chunks;
            Some(status(working, is_live.then(|| within(message)), None))
        }
        TaskEvent::StatusChanged { state, message, reason } => {
            let metadata = reason.as_ref().and_then(|reason| note_metadata(REASON_KEY, reason));
            let state = TaskState::from(*state);
            let omitted = state == TaskState::Completed && presentation.omits_status_message(answered);
            let message = message.as_ref().filter(|_| !omitted).map(within);
            Some(status(state, message, metadata))
        }
    }
}

#[derive(serde::Serialize)]
struct ToolResultNote<'a> {
    call_id: &'a str,
    name: &'a str,
    output: &'a Json,
    is_error: bool,
}

fn note_metadata(key: &str, note: &impl serde::Serialize) -> Option<Json> {
    Json::from_serializable(&std::collections::BTreeMap::from([(key, note)])).ok()
}

/// An artifact update that replaces all earlier content under its id.
pub(crate) fn complete_artifact<'a>(
    task: &'a TaskId,
    context: &'a ContextId,
    artifact: Artifact<'a>,
) -> StreamResponse<'a> {
    StreamResponse::from(TaskArtifactUpdateEvent {
        task_id: Cow::Borrowed(task.as_str()),
        context_id: Cow::Borrowed(context.as_str()),
        artifact,
        append: false,
        last_chunk: true,
        metadata: None,
    })
}
