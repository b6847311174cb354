//! Tool definitions of a server: limits and change detection.

use baton_types::{Digest, Effects, Json};
use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const MAX_SCHEMA: usize = 256 << 10;
const MAX_DEPTH: usize = 64;
const MAX_NAME: usize = 256;
/// Maximum tools remembered per server, so that a server that renames its tools cannot exhaust memory.
const MAX_PINS: usize = 10_000;

/// Reason to reject a definition.
pub(super) fn rejection_reason(tool: &Tool) -> Option<String> {
    if tool.name.is_empty() || tool.name.chars().count() > MAX_NAME {
        return Some(format!("its name has more than {MAX_NAME} characters, or none"));
    }
    [Some(&tool.input_schema), tool.output_schema.as_ref()]
        .into_iter()
        .flatten()
        .find_map(|schema| schema_problem(schema))
}

fn schema_problem(schema: &JsonObject) -> Option<String> {
    if schema.values().any(|value| is_deeper(value, MAX_DEPTH)) {
        return Some(format!("its schema is nested deeper than {MAX_DEPTH} levels"));
    }
    let size = serde_json::to_vec(schema).map_or(usize::MAX, |text| text.len());
    (size > MAX_SCHEMA).then(|| format!("its schema is larger than {} KB", MAX_SCHEMA >> 10))
}

fn is_deeper(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(_) | Value::Object(_) if levels == 0 => true,
        Value::Array(items) => items.iter().any(|item| is_deeper(item, levels - 1)),
        Value::Object(members) => members.values().any(|member| is_deeper(member, levels - 1)),
        _ => false,
    }
}

/// Effects of the tool by its annotations, which count for trusted servers only.
pub(super) fn effects(tool: &Tool, is_trusted: bool) -> Effects {
    match &tool.annotations {
        Some(hints) if is_trusted && hints.read_only_hint == Some(true) => Effects::ReadOnly,
        Some(hints) if is_trusted && hints.idempotent_hint == Some(true) => Effects::Idempotent,
        _ => Effects::Unknown,
    }
}

/// Digests of the first definition of each tool; kept across connections.
#[derive(Debug, Default)]
pub(super) struct ToolPins {
    first: BTreeMap<String, Digest>,
    changed: BTreeMap<String, ()>,
}

impl ToolPins {
    /// Records a definition; a tool whose definition ever differed from the first one stays marked.
    pub(super) fn record(&mut self, tool: &Tool) {
        let Some(digest) = digest(tool) else { return };
        match self.first.get(tool.name.as_ref()) {
            Some(first) if *first != digest => {
                self.changed.insert(tool.name.to_string(), ());
            }
            Some(_) => {}
            None if self.first.len() < MAX_PINS => {
                self.first.insert(tool.name.to_string(), digest);
            }
            None => {}
        }
    }

    /// Whether the definition differs from the first one. A tool beyond the limit of remembered tools counts as
    /// changed.
    pub(super) fn is_changed(&self, tool: &str) -> bool {
        self.changed.contains_key(tool) || !self.first.contains_key(tool)
    }

    /// The changed tools.
    pub(super) fn changed(&self) -> impl Iterator<Item = &str> {
        self.changed.keys().map(String::as_str)
    }
}

/// Computed over canonical JSON, so that member order does not matter.
fn digest(tool: &Tool) -> Option<Digest> {
    let definition = json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": *tool.input_schema,
        "outputSchema": tool.output_schema.as_deref(),
        "annotations": tool.annotations,
    });
    let canonical = baton_encoding::canonical_json(Json::from(definition).as_str()).ok()?;
    Some(Digest::compute(canonical.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::ToolAnnotations;
    use std::sync::Arc;

    fn tool(schema: Value) -> Tool {
        let Value::Object(schema) = schema else { panic!("an object") };
        Tool::new("t", "does", Arc::new(schema))
    }

    #[test]
    fn schemas_are_bounded_in_depth_and_size() {
        let deep = (0..70).fold(json!({}), |inner, _| json!({"properties": {"a": inner}}));
        assert!(rejection_reason(&tool(deep)).unwrap().contains("nested deeper"));
        let large = json!({"description": "x".repeat(MAX_SCHEMA)});
        assert!(rejection_reason(&tool(large)).unwrap().contains("larger than 256 KB"));
        assert_eq!(rejection_reason(&tool(json!({"$ref": "https://example.com/x"}))), None);
    }

    #[test]
    fn annotations_apply_to_trusted_servers_only() {
        let read = tool(json!({})).with_annotations(ToolAnnotations::new().read_only(true).idempotent(true));
        let again = tool(json!({})).with_annotations(ToolAnnotations::new().idempotent(true));
        assert_eq!(effects(&read, true), Effects::ReadOnly);
        assert_eq!(effects(&again, true), Effects::Idempotent);
        assert_eq!(effects(&read, false), Effects::Unknown);
        assert_eq!(effects(&tool(json!({})), true), Effects::Unknown);
    }

    #[test]
    fn a_changed_definition_stays_marked() {
        let mut pins = ToolPins::default();
        pins.record(&tool(json!({"a": 1, "b": 2})));
        pins.record(&tool(json!({"b": 2, "a": 1})));
        assert!(!pins.is_changed("t"));
        pins.record(&tool(json!({"b": 2, "a": 3})));
        pins.record(&tool(json!({"b": 2, "a": 1})));
        assert!(pins.is_changed("t"));
        assert_eq!(pins.changed().collect::<Vec<_>>(), ["t"]);
    }
}
