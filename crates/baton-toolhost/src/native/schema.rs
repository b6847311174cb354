//! JSON Schemas of Rust types, in the form that models and MCP clients take.

use baton_types::Json;
use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::Value;

/// The schema of what a function takes.
pub(super) fn of_input<T: JsonSchema>() -> Json {
    Json::from(plain::<T>(SchemaSettings::draft2020_12().for_deserialize()))
}

/// The schema of what a function gives; none when that is no object, for which older clients have no place.
pub(super) fn of_output<T: JsonSchema>() -> Option<Json> {
    let schema = plain::<T>(SchemaSettings::draft2020_12().for_serialize());
    is_object(&schema).then(|| Json::from(schema))
}

/// Whether the values that fit a schema are objects.
pub(super) fn is_object(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
}

/// Everything in one place: many models do not look behind a `$ref`.
fn plain<T: JsonSchema>(mut settings: SchemaSettings) -> Value {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let settings = settings.with_transform(RecursiveTransform(drop_rust_formats));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The name of a Rust type means nothing to those who read this.
    schema.remove("title");
    schema.to_value()
}

/// `uint8` and its like are no formats of JSON Schema, and some models refuse what they do not know; the bounds stay.
fn drop_rust_formats(schema: &mut Schema) {
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    if ["int", "uint", "float", "double"].iter().any(|kind| format.starts_with(kind)) {
        schema.remove("format");
    }
}
