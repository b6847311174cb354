//! Bound on the work of one validation. Schemas come from callers and MCP servers, and a short one can demand
//! exponentially many steps.

use serde_json::{Map, Value};

/// Maximum number of schema nodes that one validation may visit.
const MAX_VISITS: usize = 100_000;
/// Maximum nesting depth of schema nodes on the way to one value.
const MAX_DEPTH: usize = 512;

/// Keywords with a schema for the value itself.
const IN_PLACE_KEYWORDS: [&str; 4] = ["not", "if", "then", "else"];
/// Keywords with a list of schemas for the value itself.
const IN_PLACE_LIST_KEYWORDS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// Keywords with a schema for every member or entry.
const ENTRY_KEYWORDS: [&str; 8] = [
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "contentSchema",
];

/// Keywords with schemas by name.
const MAP_KEYWORDS: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];
/// Keywords with values that are no schemas.
const DATA_KEYWORDS: [&str; 4] = ["const", "enum", "default", "examples"];

/// Whether the validation of the value visits a bounded number of schema nodes; an upper bound, in which every
/// alternative is evaluated.
pub(crate) fn is_bounded(schema: &Value, value: &Value) -> bool {
    SchemaVisits { root: schema, left: MAX_VISITS }.visit(schema, value, 0).is_some()
}

/// A reference that cannot be followed here: by anchor, by base URL, or dynamic.
pub(crate) fn unsupported_reference(schema: &Value) -> Option<String> {
    let keys = schema.as_object()?;
    let is_draft4 = keys.get("$schema").and_then(Value::as_str).is_some_and(|draft| draft.contains("draft-04"));
    let base = if is_draft4 { "id" } else { "$id" };
    keys.iter().filter(|(keyword, _)| *keyword != base).find_map(|(keyword, value)| unsupported(keyword, value, base))
}

fn unsupported(keyword: &str, value: &Value, base: &str) -> Option<String> {
    if DATA_KEYWORDS.contains(&keyword) {
        return None;
    }
    if let Value::String(text) = value {
        let is_pointer = text == "#" || text.starts_with("#/");
        let is_supported = match keyword {
            "$ref" => is_pointer,
            "$dynamicRef" | "$recursiveRef" => false,
            other => other != base,
        };
        return (!is_supported).then(|| format!("{keyword}: {value}"));
    }
    let in_schema = |schema: &Value| {
        let keys = schema.as_object()?;
        keys.iter().find_map(|(keyword, value)| unsupported(keyword, value, base))
    };
    match value {
        Value::Object(inner) if MAP_KEYWORDS.contains(&keyword) => inner.values().find_map(in_schema),
        Value::Array(entries) => entries.iter().find_map(in_schema),
        schema => in_schema(schema),
    }
}

struct SchemaVisits<'a> {
    root: &'a Value,
    left: usize,
}

impl<'a> SchemaVisits<'a> {
    /// Counts the visits; `None` when the bound is exceeded.
    fn visit(&mut self, schema: &'a Value, value: &Value, depth: usize) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        let Value::Object(keys) = schema else { return Some(()) };
        if depth > MAX_DEPTH {
            return None;
        }
        if let Some(target) = keys.get("$ref").and_then(Value::as_str)
            && let Some(target) = self.root.pointer(target.strip_prefix('#').unwrap_or_default())
        {
            self.visit(target, value, depth + 1)?;
        }
        for schema in IN_PLACE_KEYWORDS.iter().filter_map(|keyword| keys.get(*keyword)) {
            self.visit(schema, value, depth + 1)?;
        }
        let lists = IN_PLACE_LIST_KEYWORDS.iter().filter_map(|keyword| keys.get(*keyword)?.as_array());
        for schema in lists.flatten() {
            self.visit(schema, value, depth + 1)?;
        }
        for schema in ["dependentSchemas", "dependencies"].iter().flat_map(|keyword| members(keys, keyword)) {
            self.visit(schema, value, depth + 1)?;
        }
        match value {
            Value::Object(inner) => {
                let properties = keys.get("properties").and_then(Value::as_object);
                for (name, value) in inner {
                    if let Some(schema) = properties.and_then(|properties| properties.get(name)) {
                        self.visit(schema, value, depth + 1)?;
                    }
                    self.nested(keys, value, depth)?;
                }
            }
            Value::Array(inner) => {
                let prefix = ["prefixItems", "items"].map(|keyword| keys.get(keyword).and_then(Value::as_array));
                for (at, value) in inner.iter().enumerate() {
                    for schema in prefix.iter().flatten().filter_map(|prefix| prefix.get(at)) {
                        self.visit(schema, value, depth + 1)?;
                    }
                    self.nested(keys, value, depth)?;
                }
            }
            _ => {}
        }
        Some(())
    }

    fn nested(&mut self, keys: &'a Map<String, Value>, value: &Value, depth: usize) -> Option<()> {
        for schema in ENTRY_KEYWORDS.iter().filter_map(|keyword| keys.get(*keyword)) {
            self.visit(schema, value, depth + 1)?;
        }
        for schema in members(keys, "patternProperties") {
            self.visit(schema, value, depth + 1)?;
        }
        Some(())
    }
}

fn members<'a>(keys: &'a Map<String, Value>, keyword: &str) -> impl Iterator<Item = &'a Value> {
    keys.get(keyword).and_then(Value::as_object).into_iter().flat_map(Map::values)
}
