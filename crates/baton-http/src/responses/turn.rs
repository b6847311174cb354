//! A turn that is on record, and what it looks like.

use super::{
    asked::Asked,
    refused::{from_engine, no_response},
};
use baton_engine::{EngineError, TaskRef};
use baton_ports::StoredEvent;
use baton_responses::{Note, Projector, Refusal, ResponseId};
use baton_rules::Access;
use baton_types::{ErrorCode, Fact, StreamId, TaskEvent, TaskView, ToolResult};
use std::sync::Arc;

/// Under which notes of a conversation it says that a response was deleted.
pub(super) const DELETED: &str = "responses/deleted/";

/// A turn as the journal has it.
pub(super) struct Turn {
    pub(super) id: ResponseId,
    pub(super) view: Arc<TaskView>,
    pub(super) note: Note,
    pub(super) projector: Projector,
    /// The number of the event that ended it.
    pub(super) end: Option<u64>,
    /// Results of the last calls that the agent itself ran, while others still wait for theirs.
    pub(super) results: Vec<ToolResult>,
}

/// The turn that an id names, if the caller may see it and it was not deleted.
pub(super) async fn find(asked: &Asked, name: &str) -> Result<Turn, Refusal> {
    let id = ResponseId::parse(name).ok_or_else(|| no_response(name))?;
    let task = TaskRef { task: id.task.clone(), agent: None };
    let found = asked.shared.engine.told(asked.principal(), &task).await;
    let (view, events) = found.map_err(|error| match error {
        EngineError::TaskNotFound(task) => {
            let stream = StreamId::Task(task);
            asked.caller.not_found(&asked.shared, stream, ErrorCode::RESPONSE_NOT_FOUND);
            no_response(name)
        }
        error => from_engine(error),
    })?;
    asked.may(Access::Read, &view.agent)?;
    let turn = project(id, view, &events).filter(|turn| !turn.note.unstored).ok_or_else(|| no_response(name))?;
    let record = asked.shared.engine.notes(asked.principal(), &turn.view.agent, &turn.view.context).await;
    let gone = record.map_err(from_engine)?.is_some_and(|record| record.notes.contains_key(&deleted_key(name)));
    if gone { Err(no_response(name)) } else { Ok(turn) }
}

/// The note under which a conversation remembers that a response was deleted.
pub(super) fn deleted_key(name: &str) -> String {
    format!("{DELETED}{name}")
}

/// The turn that begins at the event that an id names. A task that another surface began has no wishes, and its first turn
/// is a response all the same.
pub(super) fn project(id: ResponseId, view: Arc<TaskView>, events: &[Arc<StoredEvent>]) -> Option<Turn> {
    let first = events.first()?;
    let wished = facts(events).find(|(number, ..)| *number == id.at).map(|(.., event)| event);
    let note = match wished {
        Some(TaskEvent::Wished { wishes }) => Note::of(wishes),
        _ if id == ResponseId::first(id.task.clone()) => Note::default(),
        _ => return None,
    };
    let created = events.iter().find(|event| event.number == id.at).map_or(first.at, |event| event.at);
    let mut projector = Projector::new(&id, created, view.agent.as_str(), &note);
    projector.begin();
    let mut end = None;
    let mut results = Vec::new();
    for (number, at, event) in facts(events) {
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
    Some(Turn { id, view, note, projector, end, results })
}

/// The facts of a task among its events.
pub(super) fn facts(events: &[Arc<StoredEvent>]) -> impl Iterator<Item = (u64, baton_types::Timestamp, &TaskEvent)> {
    events.iter().filter_map(|stored| match &stored.fact {
        Fact::Task(event) => Some((stored.number, stored.at, event)),
        _ => None,
    })
}

/// The turn that the newest wishes after `before` began.
pub(super) fn begun_after(events: &[Arc<StoredEvent>], before: u64) -> Option<u64> {
    let wished = |(number, _, event): (u64, baton_types::Timestamp, &TaskEvent)| {
        (number > before && matches!(event, TaskEvent::Wished { .. })).then_some(number)
    };
    facts(events).find_map(wished)
}
