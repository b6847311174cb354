//! Small wire objects: lists, models, conversations, deletions.

use crate::{OpenAiError, OutputItem, ResponseUsage};
use baton_types::Json;
use serde::{Deserialize, Serialize};

/// A list without pages, such as the list of models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ObjectList<T> {
    /// Always `list`.
    pub object: &'static str,
    /// The entries.
    pub data: Vec<T>,
}

impl<T> ObjectList<T> {
    /// A list with these entries.
    pub fn new(data: Vec<T>) -> Self {
        Self { object: "list", data }
    }
}

/// A page of items.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ItemPage {
    /// Always `list`.
    pub object: &'static str,
    /// The items, each with an id.
    pub data: Vec<Json>,
    /// Id of the first item.
    pub first_id: Option<String>,
    /// Id of the last item.
    pub last_id: Option<String>,
    /// Whether more items follow.
    pub has_more: bool,
}

#[derive(Deserialize)]
struct ItemIdOnly {
    id: String,
}

/// Sort order of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ItemOrder {
    /// Oldest first.
    Asc,
    /// Newest first.
    #[default]
    Desc,
}

/// A page of items, which are given oldest first; an unknown `after` is an error.
pub fn page_items(
    items: &[Json],
    limit: usize,
    order: ItemOrder,
    after: Option<&str>,
) -> Result<ItemPage, OpenAiError> {
    let id = |item: &Json| item.read::<ItemIdOnly>().ok().map(|item| item.id);
    let mut ordered: Vec<&Json> = items.iter().collect();
    if order == ItemOrder::Desc {
        ordered.reverse();
    }
    let rest = match after {
        None => ordered.as_slice(),
        Some(after) => match ordered.iter().position(|item| id(item).as_deref() == Some(after)) {
            Some(at) => &ordered[at + 1..],
            None => {
                let detail = format!("There is no item '{after}' here; use the last_id of the page before.");
                return Err(OpenAiError::invalid("item_not_found", "after", detail));
            }
        },
    };
    let data: Vec<Json> = rest.iter().take(limit).map(|item| (*item).clone()).collect();
    Ok(ItemPage {
        object: "list",
        first_id: data.first().and_then(id),
        last_id: data.last().and_then(id),
        has_more: rest.len() > data.len(),
        data,
    })
}

/// Confirmation of a deletion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeletedObject {
    /// Id of the deleted object.
    pub id: String,
    /// `response` or `conversation.deleted`.
    pub object: &'static str,
    /// Always true.
    pub deleted: bool,
}

impl DeletedObject {
    /// Deletion of a response.
    pub fn response(id: String) -> Self {
        Self { id, object: "response", deleted: true }
    }

    /// Deletion of a conversation.
    pub fn conversation(id: String) -> Self {
        Self { id, object: "conversation.deleted", deleted: true }
    }
}

/// An agent in the list of models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelObject {
    /// Value for `model` in requests.
    pub id: String,
    /// Always `model`.
    pub object: &'static str,
    /// Creation time in seconds.
    pub created: i64,
    /// Owner of the model.
    pub owned_by: String,
}

impl ModelObject {
    /// A model entry for an agent.
    pub fn new(id: impl Into<String>, created: i64) -> Self {
        Self { id: id.into(), object: "model", created, owned_by: "baton".to_owned() }
    }
}

/// A conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConversationObject {
    /// Its id, `conv_...`.
    pub id: String,
    /// Always `conversation`.
    pub object: &'static str,
    /// Creation time in seconds.
    pub created_at: i64,
    /// Metadata pairs of the client.
    pub metadata: Json,
}

impl ConversationObject {
    /// A conversation object.
    pub fn new(id: String, created_at: i64, metadata: Option<Json>) -> Self {
        let metadata = metadata.unwrap_or_else(|| serde_json::json!({}).into());
        Self { id, object: "conversation", created_at, metadata }
    }
}

/// Token count of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct InputTokenCount {
    /// Always `response.input_tokens`.
    pub object: &'static str,
    /// Number of tokens.
    pub input_tokens: u64,
}

impl InputTokenCount {
    /// An object with this count.
    pub fn new(input_tokens: u64) -> Self {
        Self { object: "response.input_tokens", input_tokens }
    }
}

/// A compacted conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompactionObject {
    /// Its id, `resp_...`.
    pub id: String,
    /// Always `response.compaction`.
    pub object: &'static str,
    /// Creation time in seconds.
    pub created_at: i64,
    /// The input for further requests.
    pub output: Vec<OutputItem>,
    /// Token usage of the compaction.
    pub usage: ResponseUsage,
}

impl CompactionObject {
    /// An object with these output items.
    pub fn new(id: String, created_at: i64, output: Vec<OutputItem>, usage: ResponseUsage) -> Self {
        Self { id, object: "response.compaction", created_at, output, usage }
    }
}
