//! `DELETE /api/v1/tokens/{token}`.

use super::{describe, entry, token_error, tokens};
use crate::state::ApiState;
use axum::{extract::State, response::Response};
use baton_http::{AdminNote, Caller, PathName, reply};
use std::sync::Arc;

/// Revokes a token; from then on it is invalid.
pub(crate) async fn revoke(State(shared): State<Arc<ApiState>>, caller: Caller, PathName(id): PathName) -> Response {
    let revoked = match tokens(&shared, &caller) {
        Ok(tokens) => tokens.revoke(&id).await.map_err(token_error),
        Err(error) => Err(error),
    };
    match revoked {
        Ok(record) => {
            let mut response = reply::json(&entry(&record));
            response.extensions_mut().insert(AdminNote(format!("revoked {}", describe(&record))));
            response
        }
        Err(error) => reply::error(&error),
    }
}
