//! Tool table and dispatch.

use super::{change, read, session};
use crate::internal::{
    call::{InternalCall, InternalCallResult},
    listing::{self, ToolEffect, mode, text, tool},
};
use baton_types::ItemKind;
use rmcp::model::Tool;
use serde_json::{Value, json};

/// Operations on rules, and equally on references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemOperation {
    Create,
    Get,
    Update,
    Delete,
    List,
    ListContext,
    Include,
    Exclude,
    Search,
}

const ITEM_OPERATIONS: [ItemOperation; 9] = [
    ItemOperation::Create,
    ItemOperation::Get,
    ItemOperation::Update,
    ItemOperation::Delete,
    ItemOperation::List,
    ItemOperation::ListContext,
    ItemOperation::Include,
    ItemOperation::Exclude,
    ItemOperation::Search,
];

impl ItemOperation {
    fn name(self, kind: ItemKind) -> String {
        let noun = if kind == ItemKind::Rule { "Rule" } else { "Reference" };
        match self {
            Self::Create => format!("create{noun}"),
            Self::Get => format!("get{noun}"),
            Self::Update => format!("update{noun}"),
            Self::Delete => format!("delete{noun}"),
            Self::List => format!("list{noun}s"),
            Self::ListContext => format!("listContext{noun}s"),
            Self::Include => format!("include{noun}"),
            Self::Exclude => format!("exclude{noun}"),
            Self::Search => format!("search{noun}s"),
        }
    }

    fn tool(self, kind: ItemKind) -> Tool {
        let noun = kind.as_str();
        let (about, effect) = match self {
            Self::Create => (
                format!(
                    "Adds a {noun} to your definition, for all conversations. A {noun} of the same name is not replaced: change that with {}.",
                    Self::Update.name(kind)
                ),
                ToolEffect::Additive,
            ),
            Self::Get => (format!("Gives one of your {noun}s, with its text."), ToolEffect::ReadOnly),
            Self::Update => (
                format!("Changes one of your {noun}s for all conversations; what you leave out stays as it is."),
                ToolEffect::Idempotent,
            ),
            Self::Delete => (
                format!(
                    "Removes one of your {noun}s for good. To leave it out of this conversation only, use {}.",
                    Self::Exclude.name(kind)
                ),
                ToolEffect::Destructive,
            ),
            Self::List => (format!("Lists all of your {noun}s, without their texts."), ToolEffect::ReadOnly),
            Self::ListContext => (
                format!("Lists the {noun}s that are part of this conversation: always included, or requested by name."),
                ToolEffect::ReadOnly,
            ),
            Self::Include => (
                format!("Makes one of your {noun}s part of this conversation, from the next message on."),
                ToolEffect::Idempotent,
            ),
            Self::Exclude => (
                format!(
                    "Leaves one of your {noun}s out of this conversation, from the next message on. It stays in your definition."
                ),
                ToolEffect::Idempotent,
            ),
            Self::Search => (
                format!(
                    "Finds your {noun}s that are relevant to a query, the most relevant first, with score and text."
                ),
                ToolEffect::ReadOnly,
            ),
        };
        let (properties, required) = self.arguments(noun);
        tool(self.name(kind), about, effect, properties, required)
    }

    fn arguments(self, noun: &str) -> (Value, &'static [&'static str]) {
        let name = text(&format!("The name of the {noun}"));
        match self {
            Self::Create => (item(noun), &["name", "text"]),
            Self::Update => (item(noun), &["name"]),
            Self::List | Self::ListContext => (json!({}), &[]),
            Self::Search => (listing::search(&format!("{noun}s")), &["query"]),
            Self::Get | Self::Delete | Self::Include | Self::Exclude => (json!({"name": name}), &["name"]),
        }
    }
}

/// Argument schemas of a rule or a reference.
fn item(noun: &str) -> Value {
    json!({
        "name": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,128}$", "description": format!("The name of the {noun}: letters, digits, dashes and underscores")},
        "description": text("What it is about, in one sentence; shown in lists and used for search"),
        "priorityLevel": {"type": "integer", "minimum": 0, "maximum": 999, "description": "Its position: higher values are placed later, nearer to the request; 500 by default for a new one"},
        "include": mode(&format!("When it is part of a conversation: always, manual (once it is requested by name; the default for a new one) or agent (when the {noun} is relevant to the request)")),
        "text": text(&format!("The whole text of the {noun}, in Markdown")),
    })
}

/// The tools of the server.
pub(in crate::internal) fn tools(kind: ItemKind) -> Vec<Tool> {
    ITEM_OPERATIONS.iter().map(|verb| verb.tool(kind)).collect()
}

/// Dispatches the call; `None` for an unknown tool.
pub(in crate::internal) async fn call(kind: ItemKind, call: &InternalCall<'_>) -> Option<InternalCallResult> {
    let verb = ITEM_OPERATIONS.into_iter().find(|verb| verb.name(kind) == call.tool)?;
    Some(match verb {
        ItemOperation::Create => change::create(kind, call).await,
        ItemOperation::Update => change::update(kind, call).await,
        ItemOperation::Delete => change::delete(kind, call).await,
        ItemOperation::Get => read::get(kind, call),
        ItemOperation::List => read::list(kind, call),
        ItemOperation::Search => read::search(kind, call).await,
        ItemOperation::ListContext => session::list(kind, call).await,
        ItemOperation::Include => session::include(kind, call).await,
        ItemOperation::Exclude => session::exclude(kind, call).await,
    })
}
