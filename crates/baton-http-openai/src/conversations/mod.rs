//! Conversations API: clients create conversations and read and change their items.
//!
//! The entries of a conversation are stored as session notes, in order: added items and responses. A request continues
//! the same context as long as only one agent answered in it and nothing was changed; otherwise the messages of the
//! conversation are sent as history.

mod items;
mod join;
mod record;

pub(super) use items::{ItemPageQuery, id_of};
pub(crate) use items::{add_items, delete_item, list_items, show_item};
pub(super) use join::{ContinuationPoint, ConversationContinuation, continue_conversation, record_response};

use super::{
    error::from_session,
    request::{ResponsesRequest, handle_request, json},
};
use crate::{error_codes, state::OpenAiState};
use axum::{
    extract::{Path, Request, State},
    response::Response as Reply,
};
use baton_engine::{NO_AGENT, SessionError, SessionRef, UnfinishedPolicy};
use baton_responses::{ConversationObject, DeletedObject, OpenAiError, read_items};
use baton_rules::Access;
use baton_types::{AgentName, ContextId, Json};
use record::{ConversationEntry, ConversationRecord};
use serde::Deserialize;
use std::{collections::BTreeMap, sync::Arc};

/// Maximum number of metadata pairs.
const MAX_METADATA_PAIRS: usize = 16;

/// Maximum number of items per request.
const MAX_ITEMS_PER_REQUEST: usize = 20;

#[derive(Default, Deserialize)]
struct ConversationRequest {
    #[serde(default)]
    items: Option<Json>,
    #[serde(default)]
    metadata: Option<BTreeMap<String, String>>,
}

impl ConversationRequest {
    fn read(body: &[u8]) -> Result<Self, OpenAiError> {
        let conversation: Self = match body.is_empty() {
            true => Self::default(),
            false => serde_json::from_slice(body).map_err(|error| {
                OpenAiError::invalid("invalid_json", "body", format!("the body cannot be read: {error}"))
            })?,
        };
        let metadata = conversation.metadata.iter().flatten();
        let fits = |(key, value): (&String, &String)| key.chars().count() <= 64 && value.chars().count() <= 512;
        if metadata.clone().count() > MAX_METADATA_PAIRS || !metadata.clone().all(fits) {
            let message = "metadata has at most 16 pairs, with keys of 64 and values of 512 characters";
            return Err(OpenAiError::invalid("invalid_metadata", "metadata", message));
        }
        Ok(conversation)
    }

    fn metadata(&self) -> Option<Json> {
        self.metadata.as_ref().and_then(|metadata| Json::from_serializable(metadata).ok())
    }
}

/// The given items with ids.
fn items_of(request: &ResponsesRequest, items: &Json) -> Result<Vec<Json>, OpenAiError> {
    let (_, items) = read_items(items, &mut || request.shared.engine.fresh_id())?;
    if items.len() > MAX_ITEMS_PER_REQUEST {
        let message = format!("a request can add at most {MAX_ITEMS_PER_REQUEST} items; add the others afterwards");
        return Err(OpenAiError::invalid("too_many_items", "items", message));
    }
    Ok(items)
}

/// `POST /v1/conversations`.
pub(crate) async fn create(State(shared): State<Arc<OpenAiState>>, request: Request) -> Reply {
    handle_request(shared, request, |request, body| async move {
        let conversation = ConversationRequest::read(&body.bytes)?;
        let items = conversation.items.as_ref().map(|items| items_of(&request, items)).transpose()?.unwrap_or_default();
        let id = format!("conv_{}", request.shared.engine.fresh_id());
        let record = ConversationRecord::create(&request, &id, conversation.metadata(), items).await?;
        json(&record.object())
    })
    .await
}

/// `GET /v1/conversations/{conversation}`.
pub(crate) async fn show(
    State(shared): State<Arc<OpenAiState>>,
    path: Path<ConversationPath>,
    request: Request,
) -> Reply {
    handle_request(shared, request, |request, _| async move {
        json(&ConversationRecord::find(&request, &path.conversation, Access::Read).await?.object())
    })
    .await
}

/// `POST /v1/conversations/{conversation}`: replaces the metadata.
pub(crate) async fn change(
    State(shared): State<Arc<OpenAiState>>,
    path: Path<ConversationPath>,
    request: Request,
) -> Reply {
    handle_request(shared, request, |request, body| async move {
        let record = ConversationRecord::find(&request, &path.conversation, Access::Call).await?;
        let metadata = ConversationRequest::read(&body.bytes)?.metadata();
        json(&record.with_metadata(&request, metadata).await?.object())
    })
    .await
}

/// `DELETE /v1/conversations/{conversation}`: also deletes its messages.
pub(crate) async fn delete(
    State(shared): State<Arc<OpenAiState>>,
    path: Path<ConversationPath>,
    request: Request,
) -> Reply {
    handle_request(shared, request, |request, _| async move {
        let record = ConversationRecord::find(&request, &path.conversation, Access::Call).await?;
        for agent in record.agents().into_iter().chain([AgentName::from(NO_AGENT)]) {
            let session = SessionRef { context: record.context.clone(), agent: Some(agent) };
            let deletion =
                request.shared.engine.delete_session(request.principal(), &session, UnfinishedPolicy::Cancel).await;
            match deletion {
                Ok(_) | Err(SessionError::NotFound(_)) => {}
                Err(error) => return Err(from_session(error)),
            }
        }
        json(&DeletedObject::conversation(path.conversation.clone()))
    })
    .await
}

/// Path parameters.
#[derive(Deserialize)]
pub(crate) struct ConversationPath {
    conversation: String,
    #[serde(default)]
    item: String,
}

impl ConversationRecord {
    fn object(&self) -> ConversationObject {
        let created = self.session.opened_at.as_millis().div_euclid(1000);
        ConversationObject::new(self.context.to_string(), created, self.metadata())
    }
}

fn no_conversation(id: &str) -> OpenAiError {
    let id: String = id.chars().take(128).collect();
    let code = error_codes::RESPONSE_NOT_FOUND;
    let message = format!("There is no conversation '{id}'. {} ({})", code.hint, code.code);
    OpenAiError { kind: "not_found", ..OpenAiError::not_found("conversation_not_found", "conversation", message) }
}

fn conversation_full(id: &str) -> OpenAiError {
    let code = error_codes::CONVERSATION_FULL;
    let message = format!("The conversation '{id}' is full. {} ({})", code.hint, code.code);
    OpenAiError::invalid("conversation_full", "conversation", message)
}

/// Context of a conversation, which is its id.
fn context_of(id: &str) -> Result<ContextId, OpenAiError> {
    let is_one = id.strip_prefix("conv_").is_some_and(|rest| !rest.is_empty() && rest.len() <= 128);
    if is_one { Ok(id.into()) } else { Err(no_conversation(id)) }
}
