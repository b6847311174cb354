//! `POST /v1/responses/input_tokens`: estimates the input tokens of a request.

use super::{
    asked::{answered, json},
    place::Placed,
    references,
};
use crate::app::Shared;
use axum::{
    extract::{Request, State},
    response::Response as Reply,
};
use baton_responses::{Create, InputTokens};
use baton_types::Message;
use std::sync::Arc;

/// Counts the input tokens.
pub(crate) async fn count(State(shared): State<Arc<Shared>>, request: Request) -> Reply {
    answered(shared, request, |asked, mut body| async move {
        let named = references::resolved(&asked, &body.bytes, &mut body.share).await?;
        let create = Create::read_any(named.as_deref().unwrap_or(&body.bytes), &mut || asked.shared.engine.fresh_id())?;
        let spec = asked.agent(create.model.as_deref())?;
        let tools = create.wishes.tools.clone();
        let Placed { command, .. } = Placed::read(&asked, &spec, create).await?;
        let said = command.history.iter().map(|entry| &entry.message).chain([&command.message]);
        let mut texts: Vec<String> = said.map(Message::text).collect();
        texts.push(spec.prompt.clone());
        texts.extend(command.wishes.and_then(|wishes| wishes.instructions));
        texts.extend(
            tools.iter().map(|tool| format!("{} {} {}", tool.name, tool.description, tool.parameters.as_str())),
        );
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        json(&InputTokens::of(asked.shared.engine.tokens_of(&spec, &texts)))
    })
    .await
}
