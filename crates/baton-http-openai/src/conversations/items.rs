//! Items of a conversation.

use super::{
    super::{
        request::{ResponsesRequest, handle_request, json},
        turn,
    },
    ConversationEntry, ConversationPath, ConversationRecord, items_of,
};
use crate::{error_codes, state::OpenAiState};
use axum::{
    extract::{Path, Query, Request, State, rejection::QueryRejection},
    response::Response as Reply,
};
use baton_responses::{ItemOrder, ObjectList, OpenAiError, page_items};
use baton_rules::Access;
use baton_types::Json;
use serde::Deserialize;
use std::sync::Arc;

/// Query parameters of an item page.
#[derive(Deserialize)]
pub(crate) struct ItemPageQuery {
    limit: Option<usize>,
    order: Option<String>,
    after: Option<String>,
}

/// Validated page parameters.
struct PageRequest {
    limit: usize,
    order: ItemOrder,
    after: Option<String>,
}

impl ItemPageQuery {
    /// Page of these items, which are oldest first.
    pub(in super::super) fn page(
        query: Result<Query<Self>, QueryRejection>,
        items: &[Json],
    ) -> Result<Reply, OpenAiError> {
        let PageRequest { limit, order, after } = Self::read(query)?;
        json(&page_items(items, limit, order, after.as_deref())?)
    }

    fn read(query: Result<Query<Self>, QueryRejection>) -> Result<PageRequest, OpenAiError> {
        let Query(Self { limit, order, after }) =
            query.map_err(|error| OpenAiError::invalid("invalid_query", "limit", error.body_text()))?;
        let order = match order.as_deref() {
            None | Some("desc") => ItemOrder::Desc,
            Some("asc") => ItemOrder::Asc,
            Some(_) => return Err(OpenAiError::invalid("invalid_query", "order", "order must be asc or desc")),
        };
        let limit = limit.unwrap_or(20);
        if !(1..=100).contains(&limit) {
            return Err(OpenAiError::invalid("invalid_query", "limit", "limit must be 1 to 100"));
        }
        Ok(PageRequest { limit, order, after })
    }
}

/// `GET /v1/conversations/{conversation}/items`.
pub(crate) async fn list_items(
    State(shared): State<Arc<OpenAiState>>,
    path: Path<ConversationPath>,
    query: Result<Query<ItemPageQuery>, QueryRejection>,
    request: Request,
) -> Reply {
    handle_request(shared, request, |request, _| async move {
        let record = ConversationRecord::find(&request, &path.conversation, Access::Read).await?;
        let page = ItemPageQuery::read(query)?;
        let items = items_for_page(&request, &record, &page).await?;
        json(&page_items(&items, page.limit, page.order, page.after.as_deref())?)
    })
    .await
}

#[derive(Deserialize)]
struct AddItemsRequest {
    items: Json,
}

/// `POST /v1/conversations/{conversation}/items`.
pub(crate) async fn add_items(
    State(shared): State<Arc<OpenAiState>>,
    path: Path<ConversationPath>,
    request: Request,
) -> Reply {
    handle_request(shared, request, |request, body| async move {
        let record = ConversationRecord::find(&request, &path.conversation, Access::Call).await?;
        let AddItemsRequest { items } = serde_json::from_slice(&body.bytes)
            .map_err(|error| OpenAiError::invalid("invalid_json", "items", format!("items cannot be read: {error}")))?;
        let items = items_of(&request, &items)?;
        if !items.is_empty() {
            ConversationRecord::add(&request, &record.context, &ConversationEntry::Items(items.clone())).await?;
        }
        let ids: Vec<Option<String>> = items.iter().map(id_of).collect();
        json(&serde_json::json!({
            "object": "list",
            "data": ObjectList::new(items).data,
            "first_id": ids.first(),
            "last_id": ids.last(),
            "has_more": false,
        }))
    })
    .await
}

/// `GET /v1/conversations/{conversation}/items/{item}`.
pub(crate) async fn show_item(
    State(shared): State<Arc<OpenAiState>>,
    path: Path<ConversationPath>,
    request: Request,
) -> Reply {
    handle_request(shared, request, |request, _| async move {
        let record = ConversationRecord::find(&request, &path.conversation, Access::Read).await?;
        let found = find(&request, &record, &path.item).await?;
        let (_, items) = found.ok_or_else(|| no_item(&path.item))?;
        json(&items.into_iter().find(|item| is_item(item, &path.item)))
    })
    .await
}

/// `DELETE /v1/conversations/{conversation}/items/{item}`.
pub(crate) async fn delete_item(
    State(shared): State<Arc<OpenAiState>>,
    path: Path<ConversationPath>,
    request: Request,
) -> Reply {
    handle_request(shared, request, |request, _| async move {
        let record = ConversationRecord::find(&request, &path.conversation, Access::Call).await?;
        if find(&request, &record, &path.item).await?.is_none() {
            return Err(no_item(&path.item));
        }
        json(&record.remove(&request, &path.item).await?.object())
    })
    .await
}

fn no_item(id: &str) -> OpenAiError {
    let id: String = id.chars().take(128).collect();
    let code = error_codes::RESPONSE_NOT_FOUND;
    let message = format!("The conversation has no item '{id}'. {} ({})", code.hint, code.code);
    OpenAiError { kind: "not_found", ..OpenAiError::not_found("item_not_found", "item_id", message) }
}

#[derive(Deserialize)]
struct ItemIdentity {
    id: Option<String>,
}

pub(in super::super) fn id_of(item: &Json) -> Option<String> {
    item.read::<ItemIdentity>().ok()?.id
}

fn is_item(item: &Json, id: &str) -> bool {
    id_of(item).as_deref() == Some(id)
}

/// All items of a conversation, oldest first.
pub(super) async fn all_items(
    request: &ResponsesRequest,
    record: &ConversationRecord,
) -> Result<Vec<Json>, OpenAiError> {
    let mut items = Vec::new();
    for entry in record.entries() {
        items.extend(items_in(request, record, entry).await?);
    }
    Ok(items)
}

/// Items of an entry, oldest first. A response in progress is not part of the conversation yet.
async fn items_in(
    request: &ResponsesRequest,
    record: &ConversationRecord,
    entry: ConversationEntry,
) -> Result<Vec<Json>, OpenAiError> {
    let mut items = match entry {
        ConversationEntry::Items(items) => items,
        ConversationEntry::Response { id, .. } => match turn::find(request, &id).await {
            Ok(turn) if turn.end.is_some() => {
                let output =
                    turn.projector.response().output.iter().filter_map(|item| Json::from_serializable(item).ok());
                turn.note.input.iter().cloned().chain(output).collect()
            }
            Ok(_) => Vec::new(),
            Err(refused) if refused.status == 404 => Vec::new(),
            Err(refused) => return Err(refused),
        },
    };
    if record.has_removed_items() {
        items.retain(|item| !id_of(item).is_some_and(|id| record.is_removed(&id)));
    }
    Ok(items)
}

/// Index of the entry that contains an item, and all items of that entry; only entries that may contain it are read.
async fn find(
    request: &ResponsesRequest,
    record: &ConversationRecord,
    item: &str,
) -> Result<Option<(usize, Vec<Json>)>, OpenAiError> {
    for (index, entry) in record.entries().into_iter().enumerate() {
        if !entry.may_hold(item) {
            continue;
        }
        let items = items_in(request, record, entry).await?;
        if items.iter().any(|known| is_item(known, item)) {
            return Ok(Some((index, items)));
        }
    }
    Ok(None)
}

/// Enough items for a page, oldest first. Reads only the entry where the page begins and those that follow in its
/// order.
async fn items_for_page(
    request: &ResponsesRequest,
    record: &ConversationRecord,
    page: &PageRequest,
) -> Result<Vec<Json>, OpenAiError> {
    let entries = record.entries();
    let (index, first) = match &page.after {
        None => (None, Vec::new()),
        Some(after) => match find(request, record, after).await? {
            Some((index, items)) => (Some(index), items),
            None => return Ok(Vec::new()),
        },
    };
    let rest: Box<dyn Iterator<Item = ConversationEntry> + Send> = match page.order {
        ItemOrder::Asc => Box::new(entries.into_iter().skip(index.map_or(0, |index| index + 1))),
        ItemOrder::Desc => {
            let before = index.unwrap_or(entries.len());
            Box::new(entries.into_iter().take(before).rev())
        }
    };
    let mut pieces = vec![first];
    let mut more = 0;
    for entry in rest {
        // One item beyond the page shows whether there is another page.
        if more > page.limit {
            break;
        }
        let items = items_in(request, record, entry).await?;
        more += items.len();
        pieces.push(items);
    }
    if page.order == ItemOrder::Desc {
        pieces.reverse();
    }
    Ok(pieces.concat())
}
