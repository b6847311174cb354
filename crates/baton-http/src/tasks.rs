//! Baton's own task API: all journaled data.

use crate::{app::HttpState, auth::Caller, path_name::PathName, reply};
use axum::{
    extract::{Query, State},
    response::Response,
};
use baton_api::{EventEntry, EventList, TaskEntry};
use baton_engine::{EngineError, TaskRef};
use baton_rules::{Access, check_access_to_all};
use baton_types::{ErrorCode, StreamId, TaskView};
use baton_wire::a2a::v1::{ArtifactInclusion, Error, ErrorKind, HistoryLength, Presentation, Task};
use serde::Deserialize;
use std::sync::Arc;

/// `GET /api/v1/tasks/{task}`.
pub(crate) async fn show(State(shared): State<Arc<HttpState>>, caller: Caller, PathName(task): PathName) -> Response {
    let task = TaskRef { task: task.into(), agent: None };
    match find(&shared, &caller, &task).await {
        Ok(view) => reply::json(&TaskEntry {
            agent: view.agent.to_string(),
            version: view.version,
            task: Task::from_view(&view, HistoryLength::All, ArtifactInclusion::Include, Presentation::FULL),
        }),
        Err(error) => reply::rest_error(&error),
    }
}

/// The task, if it belongs to the caller and the caller may read its agent.
async fn find(shared: &HttpState, caller: &Caller, task: &TaskRef) -> Result<Arc<TaskView>, Error> {
    caller.check_access(shared, Access::Read, None)?;
    let view = shared.engine.task(caller.principal(), task).await.map_err(|error| {
        if let EngineError::TaskNotFound(task) = &error {
            caller.audit_not_found(shared, StreamId::Task(task.clone()), ErrorCode::TASK_NOT_FOUND);
        }
        reply::from_engine(error)
    })?;
    caller.check_access(shared, Access::Read, Some(&view.agent)).map(|()| view)
}

/// Query parameters of the event list.
#[derive(Deserialize)]
pub(crate) struct TaskEventPage {
    #[serde(default)]
    after: u64,
    #[serde(default = "TaskEventPage::default_limit")]
    limit: usize,
}

impl TaskEventPage {
    const MAX_LIMIT: usize = 1000;

    fn default_limit() -> usize {
        100
    }
}

/// `GET /api/v1/tasks/{task}/events?after=&limit=`. Intermediate events of an autonomous run require `admin`.
pub(crate) async fn events(
    State(shared): State<Arc<HttpState>>,
    caller: Caller,
    PathName(task): PathName,
    page: Result<Query<TaskEventPage>, axum::extract::rejection::QueryRejection>,
) -> Response {
    let Ok(Query(page)) = page else {
        let message = "after and limit must be whole numbers";
        return reply::rest_error(&Error::new(ErrorKind::InvalidParams, ErrorCode::INVALID_REQUEST, message));
    };
    let task = TaskRef { task: task.into(), agent: None };
    if let Err(error) = find(&shared, &caller, &task).await {
        return reply::rest_error(&error);
    }
    let limit = page.limit.clamp(1, TaskEventPage::MAX_LIMIT);
    let (engine, principal) = (&shared.engine, caller.principal());
    let stored = match check_access_to_all(principal, Access::Admin) {
        Ok(()) => engine.events(principal, &task, page.after, limit).await,
        Err(_) => engine.visible_events(principal, &task, page.after, limit).await,
    };
    let stored = match stored {
        Ok(stored) => stored,
        Err(error) => return reply::rest_error(&reply::from_engine(error)),
    };
    let mut events = Vec::with_capacity(stored.len());
    for event in stored {
        match event.fact.encode() {
            Ok(body) => events.push(EventEntry {
                number: event.number,
                kind: event.fact.kind().to_owned(),
                at: Some(event.at),
                run: event.run.as_ref().map(ToString::to_string),
                body,
            }),
            Err(error) => {
                return reply::rest_error(&Error::new(ErrorKind::Internal, ErrorCode::INTERNAL, error.to_string()));
            }
        }
    }
    reply::json(&EventList { events })
}
