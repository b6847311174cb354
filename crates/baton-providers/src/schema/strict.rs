//! Schemas that OpenAI holds a model to, word for word.

use serde_json::{Map, Value, json};

/// Keywords that strict schemas may have.
const KNOWN: &[&str] = &[
    "type",
    "title",
    "description",
    "enum",
    "const",
    "items",
    "anyOf",
    "properties",
    "required",
    "additionalProperties",
    "$ref",
    "$defs",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
];
/// Keywords that say nothing about which values fit.
const WORDS: &[&str] = &["$schema", "$id", "$comment", "examples", "default", "deprecated", "readOnly", "writeOnly"];
/// Deepest nesting that strict schemas may have.
const MAX_DEPTH: usize = 10;

/// The strict form of a schema, when one says the same: with optional members, open objects or other keywords there is
/// none, and the schema is then sent as a wish rather than a rule.
pub(crate) fn strict(schema: &Value) -> Option<Value> {
    (schema.get("type").and_then(Value::as_str) == Some("object")).then_some(())?;
    node(schema, 0)
}

fn node(schema: &Value, depth: usize) -> Option<Value> {
    let members = schema.as_object().filter(|_| depth <= MAX_DEPTH)?;
    let mut out = Map::new();
    for (keyword, value) in members {
        let value = match keyword.as_str() {
            word if WORDS.contains(&word) => continue,
            "oneOf" => {
                out.insert("anyOf".to_owned(), each(value, depth)?);
                continue;
            }
            "properties" | "$defs" => {
                let all = value.as_object()?.iter();
                let all: Option<Map<String, Value>> =
                    all.map(|(name, schema)| Some((name.clone(), node(schema, depth + 1)?))).collect();
                Value::Object(all?)
            }
            "anyOf" => each(value, depth)?,
            "items" => node(value, depth + 1)?,
            known if KNOWN.contains(&known) => value.clone(),
            _ => return None,
        };
        out.insert(keyword.clone(), value);
    }
    if members.get("type").is_some_and(|kind| kind == "object") {
        closed(&mut out)?;
    }
    Some(Value::Object(out))
}

fn each(value: &Value, depth: usize) -> Option<Value> {
    let all: Option<Vec<Value>> = value.as_array()?.iter().map(|schema| node(schema, depth + 1)).collect();
    Some(Value::Array(all?))
}

/// An object with nothing optional and nothing further.
fn closed(out: &mut Map<String, Value>) -> Option<()> {
    let names: Vec<String> = out.get("properties")?.as_object()?.keys().cloned().collect();
    let required = out.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let all_required = names.iter().all(|name| required.iter().any(|it| it == name));
    let is_open = out.get("additionalProperties").is_some_and(|more| *more != json!(false));
    out.insert("additionalProperties".to_owned(), json!(false));
    (!names.is_empty() && all_required && !is_open).then_some(())
}
