//! `GET /api/v1/tokens`.

use super::{entry, tokens};
use crate::{app::HttpState, auth::Caller, reply};
use axum::{extract::State, response::Response};
use baton_api::TokenList;
use std::sync::Arc;

/// All tokens, including expired and revoked ones.
pub(crate) async fn list(State(shared): State<Arc<HttpState>>, caller: Caller) -> Response {
    match tokens(&shared, &caller) {
        Ok(tokens) => reply::json(&TokenList { tokens: tokens.list().iter().map(entry).collect() }),
        Err(error) => reply::rest_error(&error),
    }
}
