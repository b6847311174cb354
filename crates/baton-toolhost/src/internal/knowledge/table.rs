//! The tools, and which of them is called.

use super::{change, look, session};
use crate::internal::{
    call::{Answer, Call},
    listing::{self, Deed, mode, text, tool},
};
use baton_types::ItemKind;
use rmcp::model::Tool;
use serde_json::{Value, json};

/// What can be done with rules, and in the same way with references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
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

const VERBS: [Verb; 9] = [
    Verb::Create,
    Verb::Get,
    Verb::Update,
    Verb::Delete,
    Verb::List,
    Verb::ListContext,
    Verb::Include,
    Verb::Exclude,
    Verb::Search,
];

impl Verb {
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
        let (about, deed) = match self {
            Self::Create => (
                format!(
                    "Adds a {noun} to your definition, for all conversations. A {noun} of the same name is not replaced: change that with {}.",
                    Self::Update.name(kind)
                ),
                Deed::Adds,
            ),
            Self::Get => (format!("Gives one of your {noun}s, with its text."), Deed::Looks),
            Self::Update => (
                format!("Changes one of your {noun}s for all conversations; what you leave out stays as it is."),
                Deed::Changes,
            ),
            Self::Delete => (
                format!(
                    "Removes one of your {noun}s for good. To leave it out of this conversation only, use {}.",
                    Self::Exclude.name(kind)
                ),
                Deed::Removes,
            ),
            Self::List => (format!("Lists all of your {noun}s, without their texts."), Deed::Looks),
            Self::ListContext => (
                format!("Lists the {noun}s that are part of this conversation: always there, or named in it."),
                Deed::Looks,
            ),
            Self::Include => (
                format!("Makes one of your {noun}s part of this conversation, from the next message on."),
                Deed::Changes,
            ),
            Self::Exclude => (
                format!(
                    "Leaves one of your {noun}s out of this conversation, from the next message on. It stays in your definition."
                ),
                Deed::Changes,
            ),
            Self::Search => (
                format!(
                    "Finds your {noun}s that have to do with a question, the most relevant first, with score and text."
                ),
                Deed::Looks,
            ),
        };
        let (properties, required) = self.arguments(noun);
        tool(self.name(kind), about, deed, properties, required)
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

/// What a rule or a reference is made of.
fn item(noun: &str) -> Value {
    json!({
        "name": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,128}$", "description": format!("The name of the {noun}: letters, digits, dashes and underscores")},
        "description": text("What it is about, in a sentence; it is shown in lists, and found by"),
        "priorityLevel": {"type": "integer", "minimum": 0, "maximum": 999, "description": "Its place: higher ones stand later, nearer to what is asked; 500 for a new one when left out"},
        "include": mode(&format!("When it is part of a conversation: always, manual (once somebody names it; for a new one when left out) or agent (when the {noun} has to do with what is asked)")),
        "text": text(&format!("The whole text of the {noun}, in Markdown")),
    })
}

/// The tools of the server.
pub(in crate::internal) fn tools(kind: ItemKind) -> Vec<Tool> {
    VERBS.iter().map(|verb| verb.tool(kind)).collect()
}

/// Does what is called for; nothing when there is no such tool.
pub(in crate::internal) async fn call(kind: ItemKind, call: &Call<'_>) -> Option<Answer> {
    let verb = VERBS.into_iter().find(|verb| verb.name(kind) == call.tool)?;
    Some(match verb {
        Verb::Create => change::create(kind, call).await,
        Verb::Update => change::update(kind, call).await,
        Verb::Delete => change::delete(kind, call).await,
        Verb::Get => look::get(kind, call),
        Verb::List => look::list(kind, call),
        Verb::Search => look::search(kind, call).await,
        Verb::ListContext => session::list(kind, call).await,
        Verb::Include => session::include(kind, call).await,
        Verb::Exclude => session::exclude(kind, call).await,
    })
}
