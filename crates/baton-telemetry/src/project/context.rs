//! Attributes for the request context of a model call.

use super::span_draft::SpanDraft;
use crate::names;
use baton_types::{IncludedItem, InclusionMode, ItemKind, RequestContext, SpanValue};

/// Names of context items in request order; tools that are always included are omitted.
pub(super) fn set_request_context(draft: &mut SpanDraft, request: &RequestContext) {
    let of = |kind: ItemKind| request.items.iter().filter(move |item| item.kind == kind);
    let chosen = of(ItemKind::Tool).filter(|item| item.include != InclusionMode::Always);
    list(draft, names::CONTEXT_REFERENCES, of(ItemKind::Reference), name);
    list(draft, names::CONTEXT_RULES, of(ItemKind::Rule), name);
    list(draft, names::CONTEXT_TOOLS, chosen, name);
    list(draft, names::CONTEXT_SCORES, request.items.iter().filter(|item| item.score.is_some()), score);
}

fn list<'a>(
    draft: &mut SpanDraft,
    key: &'static str,
    items: impl Iterator<Item = &'a IncludedItem>,
    label: impl Fn(&IncludedItem) -> String,
) {
    let labels: Vec<SpanValue> = items.map(|item| label(item).into()).collect();
    if !labels.is_empty() {
        draft.set(key, SpanValue::List(labels));
    }
}

fn name(item: &IncludedItem) -> String {
    item.name.clone()
}

fn score(item: &IncludedItem) -> String {
    format!("{}:{}={}", item.kind.as_str(), item.name, item.score.unwrap_or_default())
}
