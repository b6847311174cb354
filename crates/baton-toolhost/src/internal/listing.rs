//! Tool definitions and argument schemas.

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;

/// Effect of a tool, expressed in its annotations.
#[derive(Clone, Copy)]
pub(super) enum ToolEffect {
    ReadOnly,
    Additive,
    /// Changes something; idempotent.
    Idempotent,
    /// Removes something permanently.
    Destructive,
}

/// A tool definition; arguments outside of the schema are not allowed.
pub(super) fn tool(
    name: String,
    description: String,
    effect: ToolEffect,
    properties: Value,
    required: &[&str],
) -> Tool {
    let annotations = match effect {
        ToolEffect::ReadOnly => ToolAnnotations::new().read_only(true),
        ToolEffect::Additive => ToolAnnotations::new().read_only(false).destructive(false),
        ToolEffect::Idempotent => ToolAnnotations::new().read_only(false).destructive(false).idempotent(true),
        ToolEffect::Destructive => ToolAnnotations::new().read_only(false).destructive(true),
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

/// Schema of a string.
pub(super) fn text(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

/// Schema of an include mode.
pub(super) fn mode(description: &str) -> Value {
    json!({"type": "string", "enum": ["always", "manual", "agent"], "description": description})
}

/// Schemas of the search arguments.
pub(super) fn search(items: &str) -> Value {
    json!({
        "query": {"type": "string", "minLength": 1, "description": format!("What the {items} should be about, in plain words")},
        "topK": {"type": "integer", "minimum": 1, "maximum": 100, "description": "Maximum number of matching text pieces to consider; defaults to the agent's setting"},
        "topN": {"type": "integer", "minimum": 1, "maximum": 50, "description": format!("Maximum number of {items} to return; defaults to the agent's setting")},
        "includeScore": {"type": "number", "minimum": 0, "maximum": 1, "description": format!("All {items} with at least this score are returned; defaults to the agent's setting")},
    })
}
