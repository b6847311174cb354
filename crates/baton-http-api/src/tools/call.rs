//! `POST /api/v1/agents/{agent}/tools/{tool}`: starts a call.

use super::{
    authorize,
    run::{ToolCallRound, object, respond, run},
    state::ToolCallState,
};
use crate::state::ApiState;
use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use baton_api::ApiError;
use baton_http::{Caller, RequestSpan, invalid_path, reply};
use baton_rules::Access;
use baton_types::Json;
use std::{pin::pin, sync::Arc};

/// The body is the object of arguments; an empty body means no arguments.
pub(crate) async fn call(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let called = async {
        let Path((agent, tool)) = path.map_err(|error| invalid_path(&error.body_text()))?;
        let (agent, host) = authorize(&shared, &caller, Access::Call, &agent)?;
        let span = RequestSpan::from_request(request.extensions(), request.headers());
        let arguments = arguments(&shared, request).await?;
        let round =
            ToolCallRound { tool: &tool, arguments, state: ToolCallState::default(), answers: Vec::new(), span };
        run(&shared, &caller, host, &agent, round).await
    };
    respond(called.await)
}

async fn arguments(shared: &ApiState, request: Request) -> Result<Json, ApiError> {
    let (parts, body) = request.into_parts();
    let received = shared.http.bodies.read(&parts, body).await?;
    if received.bytes.is_empty() {
        return Ok(Json::from(serde_json::Value::Object(serde_json::Map::new())));
    }
    reply::check_json(&parts.headers)?;
    let parsed = async { object(reply::parse_text(&received.bytes)?, "the arguments") };
    shared.http.large_requests.drive(received.bytes.len(), pin!(parsed)).await
}
