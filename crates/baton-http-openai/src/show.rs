//! `GET /v1/responses/{response}`: the current response, or a stream that starts after any of its events.

use super::{
    request::{handle_request, json},
    stream, turn,
};
use crate::state::OpenAiState;
use axum::{
    extract::{Query, Request, State, rejection::QueryRejection},
    response::Response as Reply,
};
use baton_responses::OpenAiError;
use serde::Deserialize;
use std::sync::Arc;

/// Query parameters.
#[derive(Deserialize)]
pub(crate) struct ShowResponseQuery {
    #[serde(default)]
    stream: bool,
    starting_after: Option<u64>,
}

/// Returns a response.
pub(crate) async fn show(
    State(shared): State<Arc<OpenAiState>>,
    query: Result<Query<ShowResponseQuery>, QueryRejection>,
    request: Request,
) -> Reply {
    let name = path_segment(request.uri().path(), 0);
    handle_request(shared, request, |request, _| async move {
        let Query(ShowResponseQuery { stream, starting_after }) = query.map_err(|error| {
            OpenAiError::invalid(
                "invalid_query",
                "starting_after",
                format!("{}; starting_after is a number", error.body_text()),
            )
        })?;
        let turn = turn::find(&request, &name).await?;
        if stream {
            stream::resume_stream(&request, turn, starting_after).await
        } else {
            json(turn.projector.response())
        }
    })
    .await
}

/// Path segment, counted from the end.
pub(super) fn path_segment(path: &str, from_end: usize) -> String {
    path.trim_end_matches('/').rsplit('/').nth(from_end).unwrap_or_default().to_owned()
}
