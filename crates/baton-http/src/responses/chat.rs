//! `POST /v1/chat/completions`: the same operation for Chat Completions clients.

use super::{create::PreparedRequest, request::handle_request, stream::ReplyDialect};
use crate::app::HttpState;
use axum::{
    extract::{Request, State},
    response::Response as Reply,
};
use baton_responses::chat::CreateChatCompletion;
use std::sync::Arc;

/// Creates a chat completion.
pub(crate) async fn create(State(shared): State<Arc<HttpState>>, request: Request) -> Reply {
    handle_request(shared, request, |asked, body| async move {
        let CreateChatCompletion { create, include_usage } =
            CreateChatCompletion::parse(&body.bytes, &mut || asked.shared.engine.fresh_id())?;
        let begun = PreparedRequest::read(&asked, create, Some(&body.bytes)).await?;
        begun.answer(&asked, ReplyDialect::Chat { include_usage }).await
    })
    .await
}
