//! Bearer tokens of callers: create, list and revoke. Requires `admin`.

mod create;
mod list;
mod revoke;

use crate::{error_codes, resources::TOKENS, state::ApiState};
use baton_api::{ApiError, ApiErrorKind, CreateToken, CreatedToken, TokenEntry, TokenList};
use baton_engine::EngineError;
use baton_http::{Caller, RouteAccess, Routes};
use baton_ports::{TokenError, TokenIssuer, TokenRecord};
use baton_rules::Access;
use baton_types::ErrorCode;
use std::sync::Arc;

/// Adds the routes.
pub(crate) fn mount(routes: Routes<Arc<ApiState>>) -> Routes<Arc<ApiState>> {
    let (admin, change) = (RouteAccess::Admin, RouteAccess::AdminChange);
    routes
        .operation(
            TOKENS
                .get("/api/v1/tokens", admin, "listTokens", "List all tokens, also expired and revoked ones")
                .reply::<TokenList>(),
            list::list,
        )
        .operation(
            TOKENS
                .post("/api/v1/tokens", change, "createToken", "Create a token")
                .body::<CreateToken>()
                .reply_status::<CreatedToken>(201),
            create::create,
        )
        .operation(
            TOKENS.delete("/api/v1/tokens/{token}", change, "revokeToken", "Revoke a token").reply::<TokenEntry>(),
            revoke::revoke,
        )
}

/// Token issuer. Requires `admin`.
fn tokens<'a>(shared: &'a ApiState, caller: &Caller) -> Result<&'a dyn TokenIssuer, ApiError> {
    caller.check_access(&shared.http, Access::Admin, None)?;
    shared.http.options.access.tokens.as_deref().ok_or_else(|| {
        let message = "tokens are not enabled on this server; start it with --auth";
        ApiError::new(ApiErrorKind::UnsupportedOperation, error_codes::NOT_OFFERED, message)
    })
}

/// Description of a token for the audit log.
fn describe(record: &TokenRecord) -> String {
    let TokenRecord { id, name, principal, .. } = record;
    format!("token {id} '{name}' of {}/{} with {}", principal.tenant, principal.subject, principal.scopes.join(" "))
}

fn entry(record: &TokenRecord) -> TokenEntry {
    TokenEntry {
        id: record.id.clone(),
        name: record.name.clone(),
        tenant: record.principal.tenant.to_string(),
        subject: record.principal.subject.to_string(),
        scopes: record.principal.scopes.iter().map(ToString::to_string).collect(),
        created_at: Some(record.created_at),
        expires_at: record.expires_at,
        revoked_at: record.revoked_at,
    }
}

fn token_error(error: TokenError) -> ApiError {
    let message = error.to_string();
    match error {
        TokenError::Invalid(_) => ApiError::new(ApiErrorKind::InvalidParams, ErrorCode::INVALID_REQUEST, message),
        TokenError::NotFound(_) => ApiError::new(ApiErrorKind::PageNotFound, error_codes::TOKEN_NOT_FOUND, message),
        TokenError::Store(error) => crate::engine_error::from_engine(EngineError::Journal(error)),
    }
}
