//! `POST /v1/responses/{response}/cancel`.

use super::{
    error::from_engine,
    request::{handle_request, json},
    show::path_segment,
    turn,
};
use crate::state::OpenAiState;
use axum::{
    extract::{Request, State},
    response::Response as Reply,
};
use baton_engine::{EngineError, TaskRef};
use baton_rules::Access;
use std::sync::Arc;

/// Cancels a response; a finished response is returned unchanged.
pub(crate) async fn cancel(State(shared): State<Arc<OpenAiState>>, request: Request) -> Reply {
    let name = path_segment(request.uri().path(), 1);
    handle_request(shared, request, |request, _| async move {
        let turn = turn::find(&request, &name).await?;
        request.check_access(Access::Call, &turn.view.agent)?;
        if turn.end.is_some() {
            return json(turn.projector.response());
        }
        let task = TaskRef { task: turn.view.id.clone(), agent: None };
        match request.shared.engine.cancel(request.principal(), &task).await {
            Ok(_) | Err(EngineError::NotCancelable { .. }) => {}
            Err(error) => return Err(from_engine(error)),
        }
        json(turn::find(&request, &name).await?.projector.response())
    })
    .await
}
