//! Structured output.

use crate::{
    protocol::ProviderProtocol,
    schema::{self, SchemaDialect},
};
use baton_ports::{ModelCall, OutputFormat};
use genai::chat::{ChatResponseFormat, JsonSpec};
use serde_json::{Map, Value};

/// Additions to a request for structured output.
#[derive(Debug, Default)]
pub(crate) struct StructuredOutput {
    /// Response format option of the client library.
    pub(crate) response_format: Option<ChatResponseFormat>,
    /// Members of the request body.
    pub(crate) body: Map<String, Value>,
    /// Instructions for the model, where the service has no structured output.
    pub(crate) instructions: Option<String>,
}

impl StructuredOutput {
    /// Instructions for an answer that is any JSON object.
    pub(crate) fn from_object_instructions() -> Self {
        let instructions = Some("Answer with one JSON object and nothing else.".to_owned());
        Self { instructions, ..Self::default() }
    }

    /// Instructions for an answer that fits a schema.
    pub(crate) fn from_schema_instructions(dialect: SchemaDialect, schema: &Value) -> Self {
        let lowered = schema::answer(dialect, schema);
        let instructions =
            format!("Answer with JSON only, without a code fence. The JSON has to fit this JSON Schema:\n{lowered}");
        Self { instructions: Some(instructions), ..Self::default() }
    }

    /// The option of the client library.
    pub(crate) fn from_spec(spec: JsonSpec) -> Self {
        Self { response_format: Some(spec.into()), ..Self::default() }
    }
}

/// Additions for the output format of a call with this model.
pub(super) fn for_call(protocol: &dyn ProviderProtocol, model: &str, call: &ModelCall) -> StructuredOutput {
    match &call.format {
        OutputFormat::Text => StructuredOutput::default(),
        OutputFormat::JsonObject => protocol.json_object(call),
        OutputFormat::JsonSchema(requested) => protocol.json_schema(model, call, &requested.to_value()),
    }
}
