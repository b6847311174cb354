//! Baton's own view of tasks: everything that was journaled.

use crate::{app::Shared, named::Named, reply};
use axum::{
    extract::{Query, State},
    response::Response,
};
use baton_engine::TaskRef;
use baton_types::ErrorCode;
use baton_wire::{
    a2a::v1::{ArtifactChoice, Error, ErrorKind, HistoryLength, Task},
    api::{EventEntry, EventList, TaskEntry},
};
use serde::Deserialize;
use std::sync::Arc;

/// `GET /api/v1/tasks/{task}`.
pub(crate) async fn show(State(shared): State<Arc<Shared>>, Named(task): Named) -> Response {
    let task = TaskRef { task: task.into(), agent: None };
    match shared.engine.task(&shared.principal, &task).await {
        Ok(view) => reply::json(&TaskEntry {
            agent: view.agent.to_string(),
            version: view.version,
            task: Task::of(&view, HistoryLength::All, ArtifactChoice::Include),
        }),
        Err(error) => reply::rest_error(&reply::from_engine(error)),
    }
}

/// Which events to show.
#[derive(Deserialize)]
pub(crate) struct Page {
    #[serde(default)]
    after: u64,
    #[serde(default = "Page::default_limit")]
    limit: usize,
}

impl Page {
    const MOST: usize = 1000;

    fn default_limit() -> usize {
        100
    }
}

/// `GET /api/v1/tasks/{task}/events?after=&limit=`.
pub(crate) async fn events(
    State(shared): State<Arc<Shared>>,
    Named(task): Named,
    page: Result<Query<Page>, axum::extract::rejection::QueryRejection>,
) -> Response {
    let Ok(Query(page)) = page else {
        let message = "after and limit must be whole numbers";
        return reply::rest_error(&Error::new(ErrorKind::InvalidParams, ErrorCode::INVALID_REQUEST, message));
    };
    let task = TaskRef { task: task.into(), agent: None };
    let limit = page.limit.clamp(1, Page::MOST);
    let stored = match shared.engine.events(&shared.principal, &task, page.after, limit).await {
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
