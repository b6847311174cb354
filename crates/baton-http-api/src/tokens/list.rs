//! `GET /api/v1/tokens`.

use super::{entry, tokens};
use crate::state::ApiState;
use axum::{extract::State, response::Response};
use baton_api::TokenList;
use baton_http::{Caller, reply};
use std::sync::Arc;

/// All tokens, including expired and revoked ones.
pub(crate) async fn list(State(shared): State<Arc<ApiState>>, caller: Caller) -> Response {
    match tokens(&shared, &caller) {
        Ok(tokens) => reply::json(&TokenList { tokens: tokens.list().iter().map(entry).collect() }),
        Err(error) => reply::error(&error),
    }
}
