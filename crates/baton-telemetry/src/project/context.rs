//! What the model was given beside the conversation, as spans say it.

use super::make::Draft;
use crate::names;
use baton_types::{Include, ItemKind, RequestContext, UsedItem, Value};

/// Names in the order in which they were given; tools that are always there go without saying.
pub(super) fn given(draft: &mut Draft, request: &RequestContext) {
    let of = |kind: ItemKind| request.items.iter().filter(move |item| item.kind == kind);
    let chosen = of(ItemKind::Tool).filter(|item| item.include != Include::Always);
    list(draft, names::CONTEXT_REFERENCES, of(ItemKind::Reference), name);
    list(draft, names::CONTEXT_RULES, of(ItemKind::Rule), name);
    list(draft, names::CONTEXT_TOOLS, chosen, name);
    list(draft, names::CONTEXT_SCORES, request.items.iter().filter(|item| item.score.is_some()), score);
}

fn list<'a>(
    draft: &mut Draft,
    key: &'static str,
    items: impl Iterator<Item = &'a UsedItem>,
    word: impl Fn(&UsedItem) -> String,
) {
    let words: Vec<Value> = items.map(|item| word(item).into()).collect();
    if !words.is_empty() {
        draft.set(key, Value::List(words));
    }
}

fn name(item: &UsedItem) -> String {
    item.name.clone()
}

fn score(item: &UsedItem) -> String {
    format!("{}:{}={}", item.kind.as_str(), item.name, item.score.unwrap_or_default())
}
