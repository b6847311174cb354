//! `POST /v1/completions`: a prompt in place of messages, for clients of the legacy API.

use super::{create::PreparedRequest, request::handle_request, stream::ReplyDialect};
use crate::state::OpenAiState;
use axum::{
    extract::{Request, State},
    response::Response as Reply,
};
use baton_responses::chat::CreateChatCompletion;
use std::sync::Arc;

/// Creates a legacy completion.
pub(crate) async fn create(State(shared): State<Arc<OpenAiState>>, request: Request) -> Reply {
    handle_request(shared, request, |request, body| async move {
        let CreateChatCompletion { create, include_usage } =
            CreateChatCompletion::read_prompt(&body.bytes, &mut || request.shared.engine.fresh_id())?;
        let begun = PreparedRequest::read(&request, create, Some(&body.bytes)).await?;
        begun.answer(&request, ReplyDialect::Text { include_usage }).await
    })
    .await
}
