//! `GetTask`: one task.

use super::{Call, Params};
use crate::reply;
use axum::response::Response;
use baton_engine::TaskRef;
use baton_wire::{
    a2a::v1::{ArtifactChoice, Error, GetTaskRequest, Task},
    jsonrpc,
};

pub(super) async fn get(call: &Call<'_>, params: Params) -> Result<Response, Error> {
    let request: GetTaskRequest<'static> = params.read()?;
    let history = request.check()?;
    let task = TaskRef { task: request.id.into_owned().into(), agent: Some(call.agent.clone()) };
    let view = call.shared.engine.task(&call.shared.principal, &task).await.map_err(reply::from_engine)?;
    let mut bytes = Vec::with_capacity(1024);
    jsonrpc::write_result(&mut bytes, call.id, &Task::of(&view, history, ArtifactChoice::Include));
    Ok(reply::json_bytes(bytes))
}
