//! Baton's own task API: all journaled data.

use crate::{resources::TASKS, state::ApiState};
use axum::{
    extract::{Query, State},
    response::Response,
};
use baton_api::{A2aTask, ApiError, ApiErrorKind, EventEntry, EventList, TaskEntry};
use baton_engine::{EngineError, TaskRef};
use baton_http::{Caller, PathName, RouteAccess, RouteAgentSource, Routes, reply};
use baton_rules::{Access, check_access_to_all};
use baton_types::{ErrorCode, StreamId, TaskView};
use baton_wire::a2a::v1::{ArtifactInclusion, HistoryLength, Presentation, Task};
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;

/// Adds the routes.
pub(crate) fn mount(routes: Routes<Arc<ApiState>>) -> Routes<Arc<ApiState>> {
    let read = RouteAccess::Read(RouteAgentSource::Resource);
    routes
        .operation(
            TASKS.get("/api/v1/tasks/{task}", read, "getTask", "Show a task").reply::<TaskEntry<A2aTask>>(),
            show,
        )
        .operation(
            TASKS
                .get("/api/v1/tasks/{task}/events", read, "listTaskEvents", "List the events of a task")
                .note("Intermediate events of an autonomous run are listed only for `admin`.")
                .query::<TaskEventPage>()
                .reply::<EventList>(),
            events,
        )
}

/// `GET /api/v1/tasks/{task}`.
async fn show(State(shared): State<Arc<ApiState>>, caller: Caller, PathName(task): PathName) -> Response {
    let task = TaskRef { task: task.into(), agent: None };
    match find(&shared, &caller, &task).await {
        Ok(view) => reply::json(&TaskEntry {
            agent: view.agent.to_string(),
            version: view.version,
            task: Task::from_view(&view, HistoryLength::All, ArtifactInclusion::Include, Presentation::FULL),
        }),
        Err(error) => reply::error(&error),
    }
}

/// The task, if it belongs to the caller and the caller may read its agent.
async fn find(shared: &ApiState, caller: &Caller, task: &TaskRef) -> Result<Arc<TaskView>, ApiError> {
    caller.check_access(&shared.http, Access::Read, None)?;
    let view = shared.engine.task(caller.principal(), task).await.map_err(|error| {
        if let EngineError::TaskNotFound(task) = &error {
            caller.audit_not_found(&shared.http, StreamId::Task(task.clone()), ErrorCode::TASK_NOT_FOUND);
        }
        crate::engine_error::from_engine(error)
    })?;
    caller.check_access(&shared.http, Access::Read, Some(&view.agent)).map(|()| view)
}

/// Query parameters of the event list.
#[derive(Deserialize, JsonSchema)]
struct TaskEventPage {
    /// Number of the event after which the list begins.
    #[serde(default)]
    after: u64,
    /// Maximum number of events; 100 when absent, at most 1000.
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
async fn events(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    PathName(task): PathName,
    page: Result<Query<TaskEventPage>, axum::extract::rejection::QueryRejection>,
) -> Response {
    let Ok(Query(page)) = page else {
        let message = "after and limit must be whole numbers";
        return reply::error(&ApiError::new(ApiErrorKind::InvalidParams, ErrorCode::INVALID_REQUEST, message));
    };
    let task = TaskRef { task: task.into(), agent: None };
    if let Err(error) = find(&shared, &caller, &task).await {
        return reply::error(&error);
    }
    let limit = page.limit.clamp(1, TaskEventPage::MAX_LIMIT);
    let (engine, principal) = (&shared.engine, caller.principal());
    let stored = match check_access_to_all(principal, Access::Admin) {
        Ok(()) => engine.events(principal, &task, page.after, limit).await,
        Err(_) => engine.visible_events(principal, &task, page.after, limit).await,
    };
    let stored = match stored {
        Ok(stored) => stored,
        Err(error) => return reply::error(&crate::engine_error::from_engine(error)),
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
                return reply::error(&ApiError::new(ApiErrorKind::Internal, ErrorCode::INTERNAL, error.to_string()));
            }
        }
    }
    reply::json(&EventList { events })
}
