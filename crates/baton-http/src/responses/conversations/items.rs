//! The items of a conversation.

use super::{
    super::{
        asked::{Asked, answered, json},
        turn,
    },
    Entry, Named, Record, items_of,
};
use crate::app::Shared;
use axum::{
    extract::{Path, Query, Request, State, rejection::QueryRejection},
    response::Response as Reply,
};
use baton_responses::{List, Order, Refusal, page_items};
use baton_rules::Access;
use baton_types::{ErrorCode, Json};
use serde::Deserialize;
use std::sync::Arc;

/// Which page of items is wanted.
#[derive(Deserialize)]
pub(crate) struct Paging {
    limit: Option<usize>,
    order: Option<String>,
    after: Option<String>,
}

impl Paging {
    /// The page of these items, which are oldest first.
    pub(in super::super) fn page(query: Result<Query<Self>, QueryRejection>, items: &[Json]) -> Result<Reply, Refusal> {
        let Query(Self { limit, order, after }) =
            query.map_err(|error| Refusal::invalid("invalid_query", "limit", error.body_text()))?;
        let order = match order.as_deref() {
            None | Some("desc") => Order::Desc,
            Some("asc") => Order::Asc,
            Some(_) => return Err(Refusal::invalid("invalid_query", "order", "order must be asc or desc")),
        };
        let limit = limit.unwrap_or(20);
        if !(1..=100).contains(&limit) {
            return Err(Refusal::invalid("invalid_query", "limit", "limit must be 1 to 100"));
        }
        json(&page_items(items, limit, order, after.as_deref())?)
    }
}

/// `GET /v1/conversations/{conversation}/items`.
pub(crate) async fn list_items(
    State(shared): State<Arc<Shared>>,
    path: Path<Named>,
    query: Result<Query<Paging>, QueryRejection>,
    request: Request,
) -> Reply {
    answered(shared, request, |asked, _| async move {
        let record = Record::find(&asked, &path.conversation, Access::Read).await?;
        Paging::page(query, &all(&asked, &record).await?)
    })
    .await
}

#[derive(Deserialize)]
struct More {
    items: Json,
}

/// `POST /v1/conversations/{conversation}/items`.
pub(crate) async fn add_items(State(shared): State<Arc<Shared>>, path: Path<Named>, request: Request) -> Reply {
    answered(shared, request, |asked, body| async move {
        let record = Record::find(&asked, &path.conversation, Access::Call).await?;
        let More { items } = serde_json::from_slice(&body.bytes)
            .map_err(|error| Refusal::invalid("invalid_json", "items", format!("items cannot be read: {error}")))?;
        let items = items_of(&asked, &items)?;
        if !items.is_empty() {
            Record::add(&asked, &record.context, &Entry::Items(items.clone())).await?;
        }
        let ids: Vec<Option<String>> = items.iter().map(id_of).collect();
        json(&serde_json::json!({
            "object": "list",
            "data": List::of(items).data,
            "first_id": ids.first(),
            "last_id": ids.last(),
            "has_more": false,
        }))
    })
    .await
}

/// `GET /v1/conversations/{conversation}/items/{item}`.
pub(crate) async fn show_item(State(shared): State<Arc<Shared>>, path: Path<Named>, request: Request) -> Reply {
    answered(shared, request, |asked, _| async move {
        let record = Record::find(&asked, &path.conversation, Access::Read).await?;
        let items = all(&asked, &record).await?;
        let item = items.into_iter().find(|item| id_of(item).as_deref() == Some(&path.item));
        json(&item.ok_or_else(|| no_item(&path.item))?)
    })
    .await
}

/// `DELETE /v1/conversations/{conversation}/items/{item}`.
pub(crate) async fn delete_item(State(shared): State<Arc<Shared>>, path: Path<Named>, request: Request) -> Reply {
    answered(shared, request, |asked, _| async move {
        let record = Record::find(&asked, &path.conversation, Access::Call).await?;
        let items = all(&asked, &record).await?;
        if !items.iter().any(|item| id_of(item).as_deref() == Some(&path.item)) {
            return Err(no_item(&path.item));
        }
        json(&record.remove(&asked, &path.item).await?.object())
    })
    .await
}

fn no_item(id: &str) -> Refusal {
    let id: String = id.chars().take(128).collect();
    let code = ErrorCode::RESPONSE_NOT_FOUND;
    let message = format!("The conversation has no item '{id}'. {} ({})", code.hint, code.code);
    Refusal { kind: "not_found", ..Refusal::not_found("item_not_found", "item_id", message) }
}

#[derive(Deserialize)]
struct Identified {
    id: Option<String>,
}

fn id_of(item: &Json) -> Option<String> {
    item.read::<Identified>().ok()?.id
}

/// Everything that a conversation is made of, oldest first. A response that has not come to its end is no part of it yet.
pub(super) async fn all(asked: &Asked, record: &Record) -> Result<Vec<Json>, Refusal> {
    let mut items = Vec::new();
    for entry in record.entries() {
        match entry {
            Entry::Items(given) => items.extend(given),
            Entry::Response { id, .. } => {
                let turn = match turn::find(asked, &id).await {
                    Ok(turn) if turn.end.is_some() => turn,
                    Ok(_) => continue,
                    Err(refused) if refused.status == 404 => continue,
                    Err(refused) => return Err(refused),
                };
                items.extend(turn.note.input.iter().cloned());
                items.extend(turn.projector.response().output.iter().filter_map(|item| Json::of(item).ok()));
            }
        }
    }
    items.retain(|item| !id_of(item).is_some_and(|id| record.is_gone(&id)));
    Ok(items)
}
