//! `CancelTask`: stops a task, and says how it stands then.

use super::{Call, Params};
use crate::reply;
use axum::response::Response;
use baton_engine::TaskRef;
use baton_wire::{
    a2a::v1::{ArtifactChoice, CancelTaskRequest, Error, HistoryLength, Task},
    jsonrpc,
};

pub(super) async fn cancel(call: &Call<'_>, params: Params) -> Result<Response, Error> {
    let request: CancelTaskRequest<'static> = params.read()?;
    request.check()?;
    let task = TaskRef { task: request.id.into_owned().into(), agent: Some(call.agent.clone()) };
    let view = call.shared.engine.cancel(&call.shared.principal, &task).await.map_err(reply::from_engine)?;
    let mut bytes = Vec::with_capacity(1024);
    let task = Task::of(&view, HistoryLength::All, ArtifactChoice::Include);
    jsonrpc::write_result(&mut bytes, call.id, &task);
    Ok(reply::json_bytes(bytes))
}
