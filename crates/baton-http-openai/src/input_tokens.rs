//! `POST /v1/responses/input_tokens`: estimates the input tokens of a request.

use super::{
    prior_context::TurnCommand,
    references,
    request::{handle_request, json},
};
use crate::state::OpenAiState;
use axum::{
    extract::{Request, State},
    response::Response as Reply,
};
use baton_responses::{CreateResponse, InputTokenCount};
use baton_types::Message;
use std::sync::Arc;

/// Counts the input tokens.
pub(crate) async fn count(State(shared): State<Arc<OpenAiState>>, request: Request) -> Reply {
    handle_request(shared, request, |request, mut body| async move {
        let named = references::resolve_references(&request, &body.bytes, &mut body.share).await?;
        let create = CreateResponse::parse_unanswerable(named.as_deref().unwrap_or(&body.bytes), &mut || {
            request.shared.engine.fresh_id()
        })?;
        let spec = request.agent(create.model.as_deref())?;
        let tools = create.run_options.tools.clone();
        let TurnCommand { command, .. } = TurnCommand::read(&request, &spec, create).await?;
        let messages = command.history.iter().map(|entry| &entry.message).chain([&command.message]);
        let mut texts: Vec<String> = messages.map(Message::text).collect();
        texts.push(spec.prompt.clone());
        texts.extend(command.run_options.and_then(|options| options.instructions));
        texts.extend(
            tools.iter().map(|tool| format!("{} {} {}", tool.name, tool.description, tool.parameters.as_str())),
        );
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        json(&InputTokenCount::new(request.shared.engine.tokens_of(&spec, &texts)))
    })
    .await
}
