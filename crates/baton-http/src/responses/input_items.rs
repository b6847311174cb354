//! `GET /v1/responses/{response}/input_items`.

use super::{asked::answered, conversations::Paging, show::last_of, turn};
use crate::app::Shared;
use axum::{
    extract::{Query, Request, State, rejection::QueryRejection},
    response::Response as Reply,
};
use std::sync::Arc;

/// Lists the input items of a response.
pub(crate) async fn list(
    State(shared): State<Arc<Shared>>,
    query: Result<Query<Paging>, QueryRejection>,
    request: Request,
) -> Reply {
    let name = last_of(request.uri().path(), 1);
    answered(shared, request, |asked, _| async move {
        let turn = turn::find(&asked, &name).await?;
        Paging::page(query, &turn.note.input)
    })
    .await
}
