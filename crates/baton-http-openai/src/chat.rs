//! `POST /v1/chat/completions`: the same operation for Chat Completions clients.

use super::{create::PreparedRequest, request::handle_request, stream::ReplyDialect};
use crate::state::OpenAiState;
use axum::{
    extract::{Request, State},
    response::Response as Reply,
};
use baton_responses::chat::CreateChatCompletion;
use std::sync::Arc;

/// Creates a chat completion.
pub(crate) async fn create(State(shared): State<Arc<OpenAiState>>, request: Request) -> Reply {
    handle_request(shared, request, |request, body| async move {
        let CreateChatCompletion { create, include_usage } =
            CreateChatCompletion::parse(&body.bytes, &mut || request.shared.engine.fresh_id())?;
        let begun = PreparedRequest::read(&request, create, Some(&body.bytes)).await?;
        begun.answer(&request, ReplyDialect::Chat { include_usage }).await
    })
    .await
}
