//! `POST /api/v1/agents/{agent}/tools/{tool}/answers`: continues a call that asked questions.

use super::{
    reached,
    run::{Round, object, respond, run},
    state::Carried,
};
use crate::{app::Shared, auth::Caller, named::unreadable, reply, telemetry::RequestSpan};
use axum::{
    extract::{Path, Request, State, rejection::PathRejection},
    response::Response,
};
use baton_rules::Access;
use baton_types::ErrorCode;
use baton_wire::{
    a2a::v1::{Error, ErrorKind},
    api::AnswerTool,
};
use std::sync::Arc;

/// The body repeats the arguments and adds the answers and the state that came with the questions.
pub(crate) async fn answer(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    path: Result<Path<(String, String)>, PathRejection>,
    request: Request,
) -> Response {
    let called = async {
        let Path((agent, tool)) = path.map_err(|error| unreadable(&error.body_text()))?;
        let (agent, host) = reached(&shared, &caller, Access::Call, &agent)?;
        let (parts, body) = request.into_parts();
        reply::check_json(&parts.headers)?;
        let received = shared.bodies.read(&parts, body).await?;
        let AnswerTool { arguments, answers, state } = serde_json::from_str(reply::readable(&received.bytes)?)
            .map_err(|error| Error::new(ErrorKind::InvalidRequest, ErrorCode::INVALID_REQUEST, error.to_string()))?;
        let arguments = arguments.as_ref().map_or("{}", |arguments| arguments.as_str());
        let round = Round {
            tool: &tool,
            arguments: object(arguments, "arguments")?,
            carried: carried(state.as_deref())?,
            answers: answers.into_iter().map(Into::into).collect(),
            span: RequestSpan::of(&parts.extensions, &parts.headers),
        };
        run(&shared, &caller, host, &agent, round).await
    };
    respond(called.await)
}

fn carried(state: Option<&str>) -> Result<Carried, Error> {
    let Some(state) = state else { return Ok(Carried::default()) };
    Carried::read(state).ok_or_else(|| {
        let message = "the state is invalid; call the tool again without it";
        Error::new(ErrorKind::InvalidParams, ErrorCode::ANSWER_INVALID, message)
    })
}
