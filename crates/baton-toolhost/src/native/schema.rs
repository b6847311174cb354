//! JSON Schemas of Rust types, in the form accepted by models and MCP clients.

use baton_types::Json;
use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::Value;

/// Schema of a function's input.
pub(super) fn input_schema<T: JsonSchema>() -> Json {
    Json::from(inlined_schema::<T>(SchemaSettings::draft2020_12().for_deserialize()))
}

/// Schema of a function's output; `None` for a non-object, which older clients do not support.
pub(super) fn output_schema<T: JsonSchema>() -> Option<Json> {
    let schema = inlined_schema::<T>(SchemaSettings::draft2020_12().for_serialize());
    is_object(&schema).then(|| Json::from(schema))
}

/// Whether the schema describes objects.
pub(super) fn is_object(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
}

/// Inlines all subschemas: many models do not resolve `$ref`.
fn inlined_schema<T: JsonSchema>(mut settings: SchemaSettings) -> Value {
    settings.inline_subschemas = true;
    settings.meta_schema = None;
    let settings = settings.with_transform(RecursiveTransform(drop_rust_formats));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The name of a Rust type is meaningless to models.
    schema.remove("title");
    schema.to_value()
}

/// Removes `uint8` and similar formats: they are not part of JSON Schema and some models reject unknown formats. The
/// bounds stay.
fn drop_rust_formats(schema: &mut Schema) {
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    if ["int", "uint", "float", "double"].iter().any(|kind| format.starts_with(kind)) {
        schema.remove("format");
    }
}
