//! `DELETE /api/v1/tokens/{token}`.

use super::{described, entry, refused, tokens};
use crate::{
    app::Shared,
    auth::{AdminNote, Caller},
    named::Named,
    reply,
};
use axum::{extract::State, response::Response};
use std::sync::Arc;

/// Revokes a token; from then on it is invalid.
pub(crate) async fn revoke(State(shared): State<Arc<Shared>>, caller: Caller, Named(id): Named) -> Response {
    let revoked = match tokens(&shared, &caller) {
        Ok(tokens) => tokens.revoke(&id).await.map_err(refused),
        Err(error) => Err(error),
    };
    match revoked {
        Ok(record) => {
            let mut response = reply::json(&entry(&record));
            response.extensions_mut().insert(AdminNote(format!("revoked {}", described(&record))));
            response
        }
        Err(error) => reply::rest_error(&error),
    }
}
