//! `POST /api/v1/tokens`.

use super::{describe, entry, token_error, tokens};
use crate::state::ApiState;
use axum::{
    extract::{Request, State},
    response::Response,
};
use baton_api::{ApiError, CreateToken, CreatedToken};
use baton_http::{AdminNote, Caller, reply};
use baton_ports::{IssuedToken, NewToken};
use baton_rules::AccessScope;
use baton_types::{Principal, Timestamp, Violations};
use http::{HeaderValue, StatusCode, header};
use std::{sync::Arc, time::Duration};

/// Default token lifetime.
const DEFAULT_TTL: Duration = Duration::from_secs(90 * 24 * 60 * 60);
/// Maximum lifetime in seconds; a longer one must be set as never expiring.
const MAX_TTL_SECONDS: u64 = 100 * 365 * 24 * 60 * 60;
/// Maximum scopes of a token.
const MAX_SCOPES: usize = 64;
/// Maximum characters of a name, and of a tenant or subject.
const MAX_NAME_LEN: usize = 64;
const MAX_ID_LEN: usize = 255;

/// Creates a token. The response is the only place that contains its secret.
pub(crate) async fn create(State(shared): State<Arc<ApiState>>, caller: Caller, request: Request) -> Response {
    match create_token(&shared, &caller, request).await {
        Ok(IssuedToken { record, token }) => {
            let mut response = reply::json(&CreatedToken { token, entry: entry(&record) });
            *response.status_mut() = StatusCode::CREATED;
            response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            response.extensions_mut().insert(AdminNote(format!("created {}", describe(&record))));
            response
        }
        Err(error) => reply::error(&error),
    }
}

async fn create_token(shared: &ApiState, caller: &Caller, request: Request) -> Result<IssuedToken, ApiError> {
    let tokens = tokens(shared, caller)?;
    let (parts, body) = request.into_parts();
    reply::check_json(&parts.headers)?;
    let received = shared.http.bodies.read(&parts, body).await?;
    let params: CreateToken = reply::parse_params(reply::parse_text(&received.bytes)?)?;
    let token = validate(params, shared.http.options.access.clock.now())?;
    tokens.create(token).await.map_err(token_error)
}

fn validate(params: CreateToken, now: Timestamp) -> Result<NewToken, ApiError> {
    let mut violations = Violations::default();
    let mut wrong = |field: &str, description: String| violations.add(field, description);
    let CreateToken { name, subject, tenant, scopes, expires_in_seconds, never_expires } = params;
    let subject = subject.unwrap_or_else(|| name.clone());
    let tenant = tenant.unwrap_or_else(|| "local".to_owned());
    for (field, text, max_len) in
        [("name", &name, MAX_NAME_LEN), ("subject", &subject, MAX_ID_LEN), ("tenant", &tenant, MAX_ID_LEN)]
    {
        let fits = (1..=max_len).contains(&text.chars().count());
        if !fits || text.trim() != text.as_str() || text.chars().any(char::is_control) {
            wrong(field, format!("must be 1 to {max_len} characters on one line, without leading or trailing spaces"));
        }
    }
    let scopes = scopes.unwrap_or_else(|| vec![AccessScope::Call(None).to_string()]);
    if scopes.is_empty() || scopes.len() > MAX_SCOPES {
        wrong("scopes", format!("must be 1 to {MAX_SCOPES} scopes"));
    }
    for (index, scope) in scopes.iter().take(MAX_SCOPES).enumerate() {
        if let Err(error) = AccessScope::parse(scope) {
            wrong(&format!("scopes[{index}]"), error.to_string());
        }
    }
    let expires_at = match (never_expires, expires_in_seconds) {
        (true, None) => None,
        (false, None) => Some(now.after(DEFAULT_TTL)),
        (false, Some(seconds)) if (1..=MAX_TTL_SECONDS).contains(&seconds) => {
            Some(now.after(Duration::from_secs(seconds)))
        }
        (false, Some(_)) => {
            wrong("expiresInSeconds", format!("must be 1 to {MAX_TTL_SECONDS}; or set neverExpires"));
            None
        }
        (true, Some(_)) => {
            wrong("neverExpires", "cannot be combined with expiresInSeconds".to_owned());
            None
        }
    };
    let scopes = scopes.into_iter().map(Into::into).collect();
    let principal = Arc::new(Principal { tenant: tenant.into(), subject: subject.into(), scopes });
    violations.into_result(NewToken { name, principal, expires_at }).map_err(ApiError::invalid_params)
}
