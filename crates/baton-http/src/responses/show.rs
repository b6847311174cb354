//! `GET /v1/responses/{response}`: the current response, or a stream that starts after any of its events.

use super::{
    asked::{answered, json},
    stream, turn,
};
use crate::app::Shared;
use axum::{
    extract::{Query, Request, State, rejection::QueryRejection},
    response::Response as Reply,
};
use baton_responses::Refusal;
use serde::Deserialize;
use std::sync::Arc;

/// Query parameters.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    #[serde(default)]
    stream: bool,
    starting_after: Option<u64>,
}

/// Returns a response.
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    query: Result<Query<Wanted>, QueryRejection>,
    request: Request,
) -> Reply {
    let name = last_of(request.uri().path(), 0);
    answered(shared, request, |asked, _| async move {
        let Query(Wanted { stream, starting_after }) = query.map_err(|error| {
            Refusal::invalid(
                "invalid_query",
                "starting_after",
                format!("{}; starting_after is a number", error.body_text()),
            )
        })?;
        let turn = turn::find(&asked, &name).await?;
        if stream { stream::resumed(&asked, turn, starting_after).await } else { json(turn.projector.response()) }
    })
    .await
}

/// Path segment, counted from the end.
pub(super) fn last_of(path: &str, from_end: usize) -> String {
    path.trim_end_matches('/').rsplit('/').nth(from_end).unwrap_or_default().to_owned()
}
