//! `ListTasks`: a page of the agent's tasks, newest status first.

use super::Call;
use crate::reply;
use axum::response::Response;
use baton_engine::ListTasks;
use baton_ports::PageCursor;
use baton_types::{ContextId, Timestamp};
use baton_wire::{
    FieldViolation,
    a2a::v1::{ArtifactChoice, Error, ListTasksRequest, ListTasksResponse, Task, TaskState, read_params},
    jsonrpc,
};
use std::borrow::Cow;

pub(super) async fn list(call: &Call<'_>) -> Result<Response, Error> {
    let request: ListTasksRequest<'static> = read_params(call.rpc.params)?;
    let (page_size, history) = request.check()?;
    let after = match request.page_token.as_deref() {
        None | Some("") => None,
        Some(token) => Some(read_token(token)?),
    };
    let query = ListTasks {
        agent: Some(call.agent.clone()),
        context: request.context_id.filter(|id| !id.is_empty()).map(|id| ContextId::from(id.into_owned())),
        state: request.status.and_then(TaskState::known),
        status_after: request.status_timestamp_after,
        after,
        limit: page_size as usize,
    };
    let page = call.shared.engine.tasks(&call.shared.principal, &query).await.map_err(reply::from_engine)?;
    let artifacts = match request.include_artifacts {
        Some(true) => ArtifactChoice::Include,
        _ => ArtifactChoice::Omit,
    };
    let response = ListTasksResponse {
        tasks: page.tasks.iter().map(|view| Task::of(view, history, artifacts)).collect(),
        next_page_token: page.next.as_ref().map(write_token).unwrap_or_default(),
        page_size,
        total_size: page.total,
    };
    let mut bytes = Vec::with_capacity(4096);
    jsonrpc::write_result(&mut bytes, call.rpc.id, &response);
    Ok(reply::json_bytes(bytes))
}

fn write_token(cursor: &PageCursor) -> Cow<'static, str> {
    Cow::Owned(format!("{}.{}", cursor.status_at.as_millis(), cursor.id))
}

fn read_token(token: &str) -> Result<PageCursor, Error> {
    let parsed = token.split_once('.').and_then(|(millis, id)| Some((millis.parse().ok()?, id)));
    match parsed {
        Some((millis, id)) if !id.is_empty() && id.len() <= 512 => {
            Ok(PageCursor { status_at: Timestamp::from_millis(millis), id: id.to_owned() })
        }
        _ => {
            let description = "must be the nextPageToken of an earlier page".to_owned();
            Err(Error::invalid_params(FieldViolation { field: "pageToken".to_owned(), description }.into()))
        }
    }
}
