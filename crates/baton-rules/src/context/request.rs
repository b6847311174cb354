//! Context of a request, as recorded and shown.

use super::SessionItem;
use baton_types::{IncludedItem, InclusionMode, ItemKind, RequestContext, Thousandths, ToolSpec};
use serde_json::{Value, json};

/// Member of an answer's metadata with the context of its request.
pub const REQUEST_MEMBER: &str = "dev.baton/request-context";

/// Maximum number of recorded tools; rules and references are limited by the definition.
const MAX_RECORDED_TOOLS: usize = 256;

/// An item that is relevant to the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelevantItem {
    /// Kind of the item.
    pub kind: ItemKind,
    /// Item name.
    pub name: String,
    /// Relevance score.
    pub score: Thousandths,
}

/// Context of a request: references, then rules, each with session items first and relevant items by descending score,
/// then tools.
pub fn request_context<'a>(
    references: &[SessionItem<'_>],
    rules: &[SessionItem<'_>],
    relevant: &[RelevantItem],
    tools: impl IntoIterator<Item = &'a ToolSpec>,
) -> RequestContext {
    let mut items = Vec::new();
    for (kind, session) in [(ItemKind::Reference, references), (ItemKind::Rule, rules)] {
        items.extend(session.iter().map(|included| included_item(kind, &included.item.name, included.include, None)));
        let relevant = relevant.iter().filter(|item| item.kind == kind);
        items.extend(relevant.map(|item| included_item(kind, &item.name, InclusionMode::Agent, Some(item.score))));
    }
    let tools = tools.into_iter().take(MAX_RECORDED_TOOLS).map(|tool| {
        let score = relevant.iter().find(|item| item.kind == ItemKind::Tool && item.name == tool.name);
        // A relevance-selected tool without a score was named explicitly.
        let include = match (tool.include, score) {
            (InclusionMode::Agent, None) => InclusionMode::Manual,
            (include, _) => include,
        };
        let server = tool.mcp_server_and_tool().map(|(server, _)| server.to_owned());
        IncludedItem { server, ..included_item(ItemKind::Tool, &tool.name, include, score.map(|item| item.score)) }
    });
    items.extend(tools);
    RequestContext { items }
}

fn included_item(kind: ItemKind, name: &str, include: InclusionMode, score: Option<Thousandths>) -> IncludedItem {
    IncludedItem { kind, name: name.to_owned(), server: None, include, score }
}

/// JSON form for clients; scores are numbers from 0 to 1.
pub fn request_context_json(request: &RequestContext) -> Value {
    let items = request.items.iter().map(|item| {
        let mut shown = json!({ "kind": item.kind, "name": item.name, "include": item.include });
        if let Some(server) = &item.server {
            shown["server"] = server.as_str().into();
        }
        if let Some(score) = item.score {
            shown["score"] = score.get().into();
        }
        shown
    });
    json!({ "items": items.collect::<Vec<_>>() })
}
