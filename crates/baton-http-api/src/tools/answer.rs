//! `POST /api/v1/agents/{agent}/tools/{tool}/answers`: continues a call that asked questions.

use super::{
    authorize,
    run::{ToolCallRound, object, respond, run},
    state::ToolCallState,
};
use crate::{error_codes, state::ApiState};
use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use baton_api::{AnswerTool, ApiError, ApiErrorKind};
use baton_http::{Caller, RequestSpan, invalid_path, reply};
use baton_rules::Access;
use baton_types::ErrorCode;
use std::sync::Arc;

/// The body repeats the arguments and adds the answers and the state that came with the questions.
pub(crate) async fn answer(
    State(shared): State<Arc<ApiState>>,
    caller: Caller,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let called = async {
        let Path((agent, tool)) = path.map_err(|error| invalid_path(&error.body_text()))?;
        let (agent, host) = authorize(&shared, &caller, Access::Call, &agent)?;
        let (parts, body) = request.into_parts();
        reply::check_json(&parts.headers)?;
        let received = shared.http.bodies.read(&parts, body).await?;
        let AnswerTool { arguments, answers, state } = serde_json::from_str(reply::parse_text(&received.bytes)?)
            .map_err(|error| {
                ApiError::new(ApiErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST, error.to_string())
            })?;
        let arguments = arguments.as_ref().map_or("{}", |arguments| arguments.as_str());
        let round = ToolCallRound {
            tool: &tool,
            arguments: object(arguments, "arguments")?,
            state: parse_state(state.as_deref())?,
            answers: answers.into_iter().map(Into::into).collect(),
            span: RequestSpan::from_request(&parts.extensions, &parts.headers),
        };
        run(&shared, &caller, host, &agent, round).await
    };
    respond(called.await)
}

fn parse_state(state: Option<&str>) -> Result<ToolCallState, ApiError> {
    let Some(state) = state else { return Ok(ToolCallState::default()) };
    ToolCallState::read(state).ok_or_else(|| {
        let message = "the state is invalid; call the tool again without it";
        ApiError::new(ApiErrorKind::InvalidParams, error_codes::ANSWER_INVALID, message)
    })
}
