//! How tools are told to models.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

/// What a tool does, as its annotations say it.
#[derive(Clone, Copy)]
pub(super) enum Deed {
    /// Looks only.
    Looks,
    /// Adds something.
    Adds,
    /// Changes something; twice is the same as once.
    Changes,
    /// Takes something away for good.
    Removes,
}

/// A tool; other arguments than those of its schema are not taken.
pub(super) fn tool(name: String, description: String, deed: Deed, properties: Value, required: &[&str]) -> Tool {
    let annotations = match deed {
        Deed::Looks => ToolAnnotations::new().read_only(true),
        Deed::Adds => ToolAnnotations::new().read_only(false).destructive(false),
        Deed::Changes => ToolAnnotations::new().read_only(false).destructive(false).idempotent(true),
        Deed::Removes => ToolAnnotations::new().read_only(false).destructive(true),
    };
    Tool::new(name, description, schema(properties, required)).with_annotations(annotations.open_world(false))
}

fn schema(properties: Value, required: &[&str]) -> Arc<JsonObject> {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties);
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    Arc::new(schema)
}

/// A text.
pub(super) fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// An include mode.
pub(super) fn mode(description: &str) -> Value {
    json!({"type": "string", "enum": ["always", "manual", "agent"], "description": description})
}

/// The arguments of a search.
pub(super) fn search(what: &str) -> Value {
    json!({
        "query": {"type": "string", "minLength": 1, "description": format!("What the {what} should be about, in plain words")},
        "topK": {"type": "integer", "minimum": 1, "maximum": 100, "description": "Matching pieces of text that are looked at; the agent's setting when left out"},
        "topN": {"type": "integer", "minimum": 1, "maximum": 50, "description": format!("How many {what} are wanted; the agent's setting when left out")},
        "includeScore": {"type": "number", "minimum": 0, "maximum": 1, "description": format!("All {what} that score as much are given; the agent's setting when left out")},
    })
}
