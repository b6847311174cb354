//! `POST /api/v1/agents` without an address: creates a local agent.

use super::{authorize_change, details, manage_error, manage_role};
use crate::state::ApiState;
use axum::response::Response;
use baton_api::{ApiError, CreateAgent};
use baton_http::Caller;
use http::{HeaderMap, HeaderValue, StatusCode, header};

/// Creates the agent and returns its location.
pub(crate) async fn create(
    shared: &ApiState,
    caller: &Caller,
    headers: &HeaderMap,
    body: CreateAgent,
) -> Result<Response, ApiError> {
    let definition =
        authorize_change(shared, caller)?.create(body, manage_role(shared, headers)).await.map_err(manage_error)?;
    Ok(created(details(shared, headers, &definition), definition.name.as_str()))
}

/// Sets status 201 and the `Location` of the new agent.
pub(super) fn created(mut response: Response, name: &str) -> Response {
    *response.status_mut() = StatusCode::CREATED;
    if let Ok(location) = HeaderValue::from_str(&format!("/api/v1/agents/{name}")) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    response
}
