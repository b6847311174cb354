//! Validation of call arguments against the schema of their tool.

use crate::tool_schema::argument_validator;
use rmcp::model::JsonObject;
use serde_json::Value;

/// Parameters declared by a schema.
pub(super) fn declared_parameters(schema: &Value) -> JsonObject {
    schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// The validated arguments; the error is a message for the caller.
///
/// Optional arguments given as null are removed: models omit arguments that way.
pub(crate) fn validate_arguments(
    tool: &str,
    schema: Value,
    arguments: Option<JsonObject>,
) -> Result<JsonObject, String> {
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut arguments = arguments.unwrap_or_default();
    arguments.retain(|name, value| !value.is_null() || required.contains(&name.as_str()));
    let arguments = Value::Object(arguments);
    if let Some(validator) = argument_validator(tool, schema) {
        validator.check(&arguments)?;
    }
    match arguments {
        Value::Object(arguments) => Ok(arguments),
        _ => Ok(JsonObject::new()),
    }
}
