//! Bearer tokens of callers: create, list and revoke. Requires `admin`.

mod create;
mod list;
mod revoke;

pub(crate) use create::create;
pub(crate) use list::list;
pub(crate) use revoke::revoke;

use crate::{app::HttpState, auth::Caller, reply};
use baton_api::TokenEntry;
use baton_engine::EngineError;
use baton_ports::{TokenError, TokenIssuer, TokenRecord};
use baton_rules::Access;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};

/// Token issuer. Requires `admin`.
fn tokens<'a>(shared: &'a HttpState, caller: &Caller) -> Result<&'a dyn TokenIssuer, Error> {
    caller.check_access(shared, Access::Admin, None)?;
    shared.options.access.tokens.as_deref().ok_or_else(|| {
        let message = "tokens are not enabled on this server; start it with --auth";
        Error::new(ErrorKind::UnsupportedOperation, ErrorCode::NOT_OFFERED, message)
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

fn token_error(error: TokenError) -> Error {
    let message = error.to_string();
    match error {
        TokenError::Invalid(_) => Error::new(ErrorKind::InvalidParams, ErrorCode::INVALID_REQUEST, message),
        TokenError::NotFound(_) => Error::new(ErrorKind::PageNotFound, ErrorCode::TOKEN_NOT_FOUND, message),
        TokenError::Store(error) => reply::from_engine(EngineError::Journal(error)),
    }
}
