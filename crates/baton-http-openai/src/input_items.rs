//! `GET /v1/responses/{response}/input_items`.

use super::{conversations::ItemPageQuery, request::handle_request, show::path_segment, turn};
use crate::state::OpenAiState;
use axum::{
    extract::{Query, Request, State, rejection::QueryRejection},
    response::Response as Reply,
};
use std::sync::Arc;

/// Lists the input items of a response.
pub(crate) async fn list(
    State(shared): State<Arc<OpenAiState>>,
    query: Result<Query<ItemPageQuery>, QueryRejection>,
    request: Request,
) -> Reply {
    let name = path_segment(request.uri().path(), 1);
    handle_request(shared, request, |request, _| async move {
        let turn = turn::find(&request, &name).await?;
        ItemPageQuery::page(query, &turn.note.input)
    })
    .await
}
