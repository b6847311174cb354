//! Schemas for the strict mode of OpenAI.

use serde_json::{Map, Value, json};

/// Keywords allowed in strict schemas.
const STRICT_KEYWORDS: &[&str] = &[
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
/// Annotation keywords, which do not affect validation.
const ANNOTATION_KEYWORDS: &[&str] =
    &["$schema", "$id", "$comment", "examples", "default", "deprecated", "readOnly", "writeOnly"];
/// Maximum nesting depth of strict schemas.
const MAX_DEPTH: usize = 10;

/// The equivalent strict schema, if any. Optional members, open objects and other keywords have none; the schema is
/// then sent without strict mode.
pub(crate) fn strict(schema: &Value) -> Option<Value> {
    (schema.get("type").and_then(Value::as_str) == Some("object")).then_some(())?;
    node(schema, 0)
}

fn node(schema: &Value, depth: usize) -> Option<Value> {
    let members = schema.as_object().filter(|_| depth <= MAX_DEPTH)?;
    let mut out = Map::new();
    for (keyword, value) in members {
        let value = match keyword.as_str() {
            annotation if ANNOTATION_KEYWORDS.contains(&annotation) => continue,
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
            supported if STRICT_KEYWORDS.contains(&supported) => value.clone(),
            _ => return None,
        };
        out.insert(keyword.clone(), value);
    }
    if members.get("type").is_some_and(|kind| kind == "object") {
        close_object(&mut out)?;
    }
    Some(Value::Object(out))
}

fn each(value: &Value, depth: usize) -> Option<Value> {
    let all: Option<Vec<Value>> = value.as_array()?.iter().map(|schema| node(schema, depth + 1)).collect();
    Some(Value::Array(all?))
}

/// Closes an object; `None` if it has optional or additional properties.
fn close_object(out: &mut Map<String, Value>) -> Option<()> {
    let names: Vec<String> = out.get("properties")?.as_object()?.keys().cloned().collect();
    let required = out.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let all_required = names.iter().all(|name| required.iter().any(|it| it == name));
    let is_open = out.get("additionalProperties").is_some_and(|more| *more != json!(false));
    out.insert("additionalProperties".to_owned(), json!(false));
    (!names.is_empty() && all_required && !is_open).then_some(())
}
