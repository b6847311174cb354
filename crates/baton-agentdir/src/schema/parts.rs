//! Common schema fragments.

use serde_json::{Value, json};

pub(super) fn object(about: &str, properties: &Value) -> Value {
    json!({"type": "object", "additionalProperties": false, "description": about, "properties": properties})
}

pub(super) fn with(mut object: Value, required: &[&str]) -> Value {
    object["required"] = json!(required);
    object
}

pub(super) fn text(about: &str) -> Value {
    json!({"type": "string", "description": about})
}

pub(super) fn texts(about: &str) -> Value {
    json!({"type": "array", "items": {"type": "string"}, "description": about})
}

pub(super) fn one_of(about: &str, values: &[&str]) -> Value {
    json!({"enum": values, "description": about})
}

pub(super) fn list(about: &str, max: usize, items: &Value) -> Value {
    json!({"type": "array", "maxItems": max, "items": items, "description": about})
}

pub(super) fn count(about: &str, low: u64, high: u64) -> Value {
    json!({"type": "integer", "minimum": low, "maximum": high, "description": about})
}

pub(super) fn duration(about: &str) -> Value {
    json!({"type": "string", "pattern": "^\\s*[0-9]+\\s*(ms|s|m|h|d)\\s*$", "description": about})
}

pub(super) fn flag(about: &str, default: bool) -> Value {
    json!({"type": "boolean", "default": default, "description": about})
}
