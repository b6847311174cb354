//! `POST /v1/completions`: a prompt in place of messages, for clients of the legacy API.

use super::{asked::answered, create::Begun, stream::Form};
use crate::app::Shared;
use axum::{
    extract::{Request, State},
    response::Response as Reply,
};
use baton_responses::chat::ChatCreate;
use std::sync::Arc;

/// Creates a legacy completion.
pub(crate) async fn create(State(shared): State<Arc<Shared>>, request: Request) -> Reply {
    answered(shared, request, |asked, body| async move {
        let ChatCreate { create, include_usage } =
            ChatCreate::read_prompt(&body.bytes, &mut || asked.shared.engine.fresh_id())?;
        let begun = Begun::read(&asked, create, Some(&body.bytes)).await?;
        begun.answer(&asked, Form::Text { include_usage }).await
    })
    .await
}
