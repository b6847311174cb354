//! Rules and references of a session, and candidates for a request.

use crate::SessionRecord;
use baton_types::{ContextItem, InclusionMode, ItemKind, ItemName, Knowledge};

/// A rule or reference that is part of every request of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionItem<'a> {
    /// Item.
    pub item: &'a ContextItem,
    /// Reason for inclusion: always, or named explicitly.
    pub include: InclusionMode,
}

/// Rules or references of a session: always included ones by priority and name, then named ones in order of naming.
/// Items named by the message itself are included even if they were excluded before.
pub fn session_items<'a>(
    knowledge: &'a Knowledge,
    kind: ItemKind,
    record: Option<&SessionRecord>,
    named: &[ItemName],
) -> Vec<SessionItem<'a>> {
    let all = knowledge.items(kind);
    let is_named = |item: &ContextItem| named.iter().any(|name| name.kind == kind && name.name == item.name);
    let is_excluded =
        |item: &ContextItem| !is_named(item) && record.is_some_and(|record| record.excludes(kind, &item.name));
    let mut always_included: Vec<&ContextItem> =
        all.iter().filter(|item| item.include == InclusionMode::Always).collect();
    always_included.retain(|item| !is_excluded(item));
    always_included.sort_by(|left, right| (left.priority, &left.name).cmp(&(right.priority, &right.name)));
    let mut items: Vec<SessionItem<'a>> =
        always_included.into_iter().map(|item| SessionItem { item, include: InclusionMode::Always }).collect();
    let included = record.map(|record| record.included.as_slice()).unwrap_or_default();
    for name in included.iter().chain(named).filter(|name| name.kind == kind) {
        let is_new = items.iter().all(|listed| listed.item.name != name.name);
        if let Some(item) = all.iter().find(|item| item.name == name.name).filter(|_| is_new) {
            items.push(SessionItem { item, include: InclusionMode::Manual });
        }
    }
    items
}

/// Rules or references that can be selected by relevance and are not part of the session.
pub fn relevance_candidates<'a>(
    knowledge: &'a Knowledge,
    kind: ItemKind,
    record: Option<&SessionRecord>,
    session: &[SessionItem<'_>],
) -> Vec<&'a ContextItem> {
    let items = knowledge.items(kind).iter().filter(|item| item.include == InclusionMode::Agent);
    let items = items.filter(|item| record.is_none_or(|record| !record.excludes(kind, &item.name)));
    items.filter(|item| session.iter().all(|listed| listed.item.name != item.name)).collect()
}
