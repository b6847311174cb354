//! Arguments of a call beside the schema of its tool.

use crate::schema;
use rmcp::model::JsonObject;
use serde_json::Value;

/// The parameters that a schema names.
pub(super) fn declared(schema: &Value) -> JsonObject {
    schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// The arguments as they are used, or what is wrong with them, in words for whoever made the call.
///
/// Optional ones that were given as null are taken out: that is how models leave something out.
pub(crate) fn fitting(schema: &Value, arguments: Option<JsonObject>) -> Result<JsonObject, String> {
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut arguments = arguments.unwrap_or_default();
    arguments.retain(|name, value| !value.is_null() || required.contains(&name.as_str()));
    let arguments = Value::Object(arguments);
    let faults = schema.as_object().map(|schema| schema::check(schema, &arguments)).unwrap_or_default();
    match (faults.is_empty(), arguments) {
        (true, Value::Object(arguments)) => Ok(arguments),
        _ => Err(faults.join("; ")),
    }
}
