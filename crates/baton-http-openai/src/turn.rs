//! A journaled turn and its projection to a response.

use super::{
    error::{from_engine, no_response},
    request::ResponsesRequest,
};
use crate::error_codes;
use baton_engine::{EngineError, TaskRef};
use baton_ports::StoredEvent;
use baton_responses::{OpenAiError, RequestRecord, ResponseId, ResponseProjector};
use baton_rules::Access;
use baton_types::{JournalEvent, StreamId, TaskEvent, TaskView, ToolResult};
use std::sync::Arc;

/// Key prefix of session notes that mark deleted responses.
pub(super) const DELETED_NOTE_PREFIX: &str = "responses/deleted/";

/// A turn read from the journal.
pub(super) struct ResponseTurn {
    pub(super) id: ResponseId,
    pub(super) view: Arc<TaskView>,
    pub(super) note: RequestRecord,
    pub(super) projector: ResponseProjector,
    /// Number of the event that ended the turn.
    pub(super) end: Option<u64>,
    /// Results of the last calls that the agent ran, while other calls still wait for theirs.
    pub(super) results: Vec<ToolResult>,
}

/// Turn with this response id, if the caller has access to it and it was not deleted.
pub(super) async fn find(request: &ResponsesRequest, name: &str) -> Result<ResponseTurn, OpenAiError> {
    let id = ResponseId::parse(name).ok_or_else(|| no_response(name))?;
    let task = TaskRef { task: id.task.clone(), agent: None };
    let found = request.shared.engine.task_with_events(request.principal(), &task).await;
    let (view, events) = found.map_err(|error| match error {
        EngineError::TaskNotFound(task) => {
            let stream = StreamId::Task(task);
            request.caller.audit_not_found(&request.shared.http, stream, error_codes::RESPONSE_NOT_FOUND);
            no_response(name)
        }
        error => from_engine(error),
    })?;
    request.check_access(Access::Read, &view.agent)?;
    let turn = project(id, view, &events).filter(|turn| !turn.note.unstored).ok_or_else(|| no_response(name))?;
    let record = request.shared.engine.notes(request.principal(), &turn.view.agent, &turn.view.context).await;
    let is_deleted = record.map_err(from_engine)?.is_some_and(|record| record.notes.contains_key(&deleted_key(name)));
    if is_deleted { Err(no_response(name)) } else { Ok(turn) }
}

/// Key of the session note that marks a deleted response.
pub(super) fn deleted_key(name: &str) -> String {
    format!("{DELETED_NOTE_PREFIX}{name}")
}

/// Turn that begins at the event of the id. A task that was started through another API has no run options; its first
/// turn is still a response.
pub(super) fn project(id: ResponseId, view: Arc<TaskView>, events: &[Arc<StoredEvent>]) -> Option<ResponseTurn> {
    let first = events.first()?;
    let option_event = task_events(events).find(|(number, ..)| *number == id.event_number).map(|(.., event)| event);
    let note = match option_event {
        Some(TaskEvent::RunOptionsSet { options }) => RequestRecord::from_run_options(options),
        _ if id == ResponseId::first(id.task.clone()) => RequestRecord::default(),
        _ => return None,
    };
    let created = events.iter().find(|event| event.number == id.event_number).map_or(first.at, |event| event.at);
    let mut projector = ResponseProjector::new(&id, created, view.agent.as_str(), &note);
    projector.begin();
    let mut end = None;
    let mut results = Vec::new();
    for (number, at, event) in task_events(events) {
        projector.event(number, at, event);
        match event {
            TaskEvent::ToolsCalled { .. } => results.clear(),
            TaskEvent::ToolFinished { result } => results.push(result.clone()),
            _ => {}
        }
        if projector.is_over() {
            end = Some(number);
            break;
        }
    }
    Some(ResponseTurn { id, view, note, projector, end, results })
}

/// Task events among the stored events.
pub(super) fn task_events(
    events: &[Arc<StoredEvent>],
) -> impl Iterator<Item = (u64, baton_types::Timestamp, &TaskEvent)> {
    events.iter().filter_map(|stored| match &stored.fact {
        JournalEvent::Task(event) => Some((stored.number, stored.at, event)),
        _ => None,
    })
}

/// Number of the first event after `before` that starts a turn.
pub(super) fn first_turn_after(events: &[Arc<StoredEvent>], before: u64) -> Option<u64> {
    let option_event_number = |(number, _, event): (u64, baton_types::Timestamp, &TaskEvent)| {
        (number > before && matches!(event, TaskEvent::RunOptionsSet { .. })).then_some(number)
    };
    task_events(events).find_map(option_event_number)
}
