//! `POST /api/v1/agents` without an address: creates a local agent.

use super::{allowed, details, refusal, who};
use crate::{app::Shared, auth::Caller};
use axum::response::Response;
use baton_wire::{a2a::v1::Error, api::CreateAgent};
use http::{HeaderMap, HeaderValue, StatusCode, header};

/// Creates the agent and returns its location.
pub(crate) async fn create(
    shared: &Shared,
    caller: &Caller,
    headers: &HeaderMap,
    wish: CreateAgent,
) -> Result<Response, Error> {
    let made = allowed(shared, caller)?.create(wish, who(shared, headers)).await.map_err(refusal)?;
    Ok(created(details(shared, headers, &made), made.name.as_str()))
}

/// Sets status 201 and the `Location` of the new agent.
pub(super) fn created(mut response: Response, name: &str) -> Response {
    *response.status_mut() = StatusCode::CREATED;
    if let Ok(place) = HeaderValue::from_str(&format!("/api/v1/agents/{name}")) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    response
}
