//! Stored form of a conversation: metadata and ordered entries.

use super::{
    super::error::from_engine, ResponsesRequest, context_of, conversation_full, items::id_of, no_conversation,
};
use baton_engine::NO_AGENT;
use baton_responses::{OpenAiError, ResponseId, task_of_item};
use baton_rules::{Access, SessionRecord};
use baton_types::{AgentName, ContextId, Json};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
};

const METADATA_KEY: &str = "responses/metadata";
const ENTRY_PREFIX: &str = "responses/entry/";
const REMOVED_ITEM_PREFIX: &str = "responses/gone/";

/// Maximum number of notes per conversation: entries and removed items.
const MAX_NOTES: usize = 10_000;

/// Maximum bytes of all notes of a conversation; every access reads them.
const MAX_NOTE_BYTES: usize = 8 * 1024 * 1024;

/// Maximum number of input item ids stored with a response.
const MAX_NOTED_IDS: usize = 64;

/// An entry of a conversation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ConversationEntry {
    /// Added items.
    Items(Vec<Json>),
    /// A response with its input.
    Response {
        id: String,
        /// Agent that answered.
        agent: String,
        /// Whether the response is in the context of the conversation.
        natural: bool,
        /// Ids of the input items, for lookup without reading the response; `None` if there are too many.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Vec<String>>,
    },
}

impl ConversationEntry {
    /// Entry for a response and its input items.
    pub(super) fn response(id: String, agent: String, natural: bool, input: Vec<String>) -> Self {
        let input = (input.len() <= MAX_NOTED_IDS).then_some(input);
        Self::Response { id, agent, natural, input }
    }

    /// Whether the entry may contain the item with this id.
    pub(super) fn may_hold(&self, item: &str) -> bool {
        match self {
            Self::Items(items) => items.iter().any(|stored| id_of(stored).as_deref() == Some(item)),
            Self::Response { input: None, .. } => true,
            Self::Response { id, input: Some(input), .. } => {
                let task = ResponseId::parse(id).map(|id| id.task);
                input.iter().any(|known| known == item) || task.is_some() && task_of_item(item) == task
            }
        }
    }

    /// Agent that answered; `None` for added items.
    pub(super) fn agent(self) -> Option<String> {
        match self {
            Self::Items(_) => None,
            Self::Response { agent, .. } => Some(agent),
        }
    }
}

/// A stored conversation.
pub(super) struct ConversationRecord {
    pub(super) context: ContextId,
    pub(super) session: SessionRecord,
}

fn no_agent() -> AgentName {
    NO_AGENT.into()
}

/// Whether another note of `more` bytes fits.
fn has_room(record: &SessionRecord, more: usize) -> bool {
    let size = |(key, value): (&String, &Json)| key.len() + value.as_str().len();
    let bytes: usize = record.notes.iter().map(size).sum();
    record.notes.len() < MAX_NOTES && bytes.saturating_add(more) <= MAX_NOTE_BYTES
}

/// Key of the next entry; keys sort in entry order.
fn next_key(record: Option<&SessionRecord>) -> String {
    let index = record.map_or(0, |record| record.notes.keys().filter(|key| key.starts_with(ENTRY_PREFIX)).count());
    format!("{ENTRY_PREFIX}{index:010}")
}

impl ConversationRecord {
    /// Stores a new conversation.
    pub(super) async fn create(
        request: &ResponsesRequest,
        id: &str,
        metadata: Option<Json>,
        items: Vec<Json>,
    ) -> Result<Self, OpenAiError> {
        let metadata = metadata.unwrap_or_else(|| serde_json::json!({}).into());
        let mut notes = vec![(METADATA_KEY.to_owned(), Some(metadata))];
        if !items.is_empty() {
            notes.push((next_key(None), Json::from_serializable(&ConversationEntry::Items(items)).ok()));
        }
        Self::write(request, &context_of(id)?, |_| notes.clone()).await
    }

    /// Conversation with this id, if it belongs to the caller and the caller has the given access to every agent that
    /// answered in it: reading a conversation reveals their replies, and changing it changes their history.
    pub(super) async fn find(request: &ResponsesRequest, id: &str, access: Access) -> Result<Self, OpenAiError> {
        let context = context_of(id)?;
        let session =
            request.shared.engine.notes(request.principal(), &no_agent(), &context).await.map_err(from_engine)?;
        let session = session.filter(|session| session.notes.contains_key(METADATA_KEY));
        let record = session.map(|session| Self { context, session }).ok_or_else(|| no_conversation(id))?;
        for agent in record.agents() {
            request.check_access(access, &agent)?;
        }
        Ok(record)
    }

    /// Agents that answered in the conversation, without duplicates.
    pub(super) fn agents(&self) -> BTreeSet<AgentName> {
        self.entries().into_iter().filter_map(ConversationEntry::agent).map(AgentName::from).collect()
    }

    async fn write(
        request: &ResponsesRequest,
        context: &ContextId,
        notes: impl Fn(Option<&SessionRecord>) -> Vec<(String, Option<Json>)> + Send,
    ) -> Result<Self, OpenAiError> {
        let engine = &request.shared.engine;
        let session = engine.note(request.principal(), &no_agent(), context, notes).await.map_err(from_engine)?;
        let context = context.clone();
        session
            .map(|session| Self { context: context.clone(), session })
            .ok_or_else(|| no_conversation(context.as_str()))
    }

    /// Replaces the metadata; `None` keeps it.
    pub(super) async fn with_metadata(
        self,
        request: &ResponsesRequest,
        metadata: Option<Json>,
    ) -> Result<Self, OpenAiError> {
        match metadata {
            None => Ok(self),
            Some(metadata) => {
                Self::write(request, &self.context, |_| vec![(METADATA_KEY.to_owned(), Some(metadata.clone()))]).await
            }
        }
    }

    /// Adds an entry if there is room.
    pub(super) async fn add(
        request: &ResponsesRequest,
        context: &ContextId,
        entry: &ConversationEntry,
    ) -> Result<(), OpenAiError> {
        let entry = Json::from_serializable(entry).ok();
        Self::write_within(request, context, |record| (next_key(record), entry.clone())).await.map(|_| ())
    }

    /// Adds an entry for a response that was started when there was room.
    pub(super) async fn add_response(
        request: &ResponsesRequest,
        context: &ContextId,
        entry: &ConversationEntry,
    ) -> Result<(), OpenAiError> {
        let entry = Json::from_serializable(entry).ok();
        Self::write(request, context, |record| vec![(next_key(record), entry.clone())]).await.map(|_| ())
    }

    /// Removes an item.
    pub(super) async fn remove(&self, request: &ResponsesRequest, item: &str) -> Result<Self, OpenAiError> {
        let note = (format!("{REMOVED_ITEM_PREFIX}{item}"), Some(Json::from(serde_json::Value::Bool(true))));
        Self::write_within(request, &self.context, |_| note.clone()).await
    }

    /// Writes a note if it fits.
    async fn write_within(
        request: &ResponsesRequest,
        context: &ContextId,
        note: impl Fn(Option<&SessionRecord>) -> (String, Option<Json>) + Send + Sync,
    ) -> Result<Self, OpenAiError> {
        let full = AtomicBool::new(false);
        let notes = |record: Option<&SessionRecord>| {
            let note = note(record);
            let more = note.1.as_ref().map_or(0, |value| value.as_str().len());
            let fits = record.is_none_or(|record| has_room(record, more));
            full.store(!fits, Ordering::Relaxed);
            if fits { vec![note] } else { Vec::new() }
        };
        let written = Self::write(request, context, notes).await?;
        if full.load(Ordering::Relaxed) { Err(conversation_full(context.as_str())) } else { Ok(written) }
    }

    /// Rejects additions to a full conversation.
    pub(super) fn check_room(&self) -> Result<(), OpenAiError> {
        if has_room(&self.session, 0) { Ok(()) } else { Err(conversation_full(self.context.as_str())) }
    }

    pub(super) fn metadata(&self) -> Option<Json> {
        self.session.notes.get(METADATA_KEY).cloned()
    }

    /// Entries in order.
    pub(super) fn entries(&self) -> Vec<ConversationEntry> {
        let entries = self.session.notes.iter().filter(|(key, _)| key.starts_with(ENTRY_PREFIX));
        entries.filter_map(|(_, entry)| entry.read().ok()).collect()
    }

    /// Whether the item was removed.
    pub(super) fn is_removed(&self, item: &str) -> bool {
        self.session.notes.contains_key(&format!("{REMOVED_ITEM_PREFIX}{item}"))
    }

    /// Whether any item was removed.
    pub(super) fn has_removed_items(&self) -> bool {
        self.session.notes.keys().any(|key| key.starts_with(REMOVED_ITEM_PREFIX))
    }
}
