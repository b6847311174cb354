//! Schemas of tool arguments.

use baton_rules::SchemaValidator;
use serde_json::Value;

/// The validator of a tool's arguments; `None` if the schema cannot be used. It may be understood only by the service of
/// the tool, which checks the arguments as well.
pub(crate) fn argument_validator(tool: &str, schema: Value) -> Option<SchemaValidator> {
    let compiled = SchemaValidator::compile_value(schema);
    compiled.inspect_err(|error| tracing::warn!(tool, %error, "arguments are not checked")).ok()
}
