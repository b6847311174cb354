//! Structured output by provider.

use crate::{ProviderKind, schema};
use baton_ports::{ModelCall, OutputFormat};
use genai::chat::{ChatResponseFormat, JsonSpec};
use serde_json::{Map, Value, json};

/// Additions to a request for structured output.
#[derive(Debug, Default)]
pub(super) struct StructuredOutput {
    /// Response format option of the client library.
    pub(super) response_format: Option<ChatResponseFormat>,
    /// Members of the request body.
    pub(super) body: Map<String, Value>,
    /// Instructions for the model, where the service has no structured output.
    pub(super) instructions: Option<String>,
}

/// Protocol of a request: Ollama accepts a schema only through its OpenAI-compatible API.
pub(super) fn protocol(kind: ProviderKind, base: String, call: &ModelCall) -> (ProviderKind, String) {
    match (kind, &call.format) {
        (ProviderKind::Ollama, OutputFormat::JsonSchema(_)) => (ProviderKind::Compatible, format!("{base}/v1")),
        _ => (kind, base),
    }
}

/// Additions for the output format of a call with this model.
pub(super) fn for_call(kind: ProviderKind, model: &str, call: &ModelCall) -> StructuredOutput {
    match &call.format {
        OutputFormat::Text => StructuredOutput::default(),
        OutputFormat::JsonObject => for_json_object(kind, call),
        OutputFormat::JsonSchema(requested) => for_schema(kind, model, call, &requested.to_value()),
    }
}

fn for_json_object(kind: ProviderKind, call: &ModelCall) -> StructuredOutput {
    let instructions = Some("Answer with one JSON object and nothing else.".to_owned());
    let mut form = StructuredOutput { instructions, ..StructuredOutput::default() };
    match kind {
        ProviderKind::OpenAi | ProviderKind::OpenAiResponses | ProviderKind::Compatible | ProviderKind::Ollama => {
            form.response_format = Some(ChatResponseFormat::JsonMode);
        }
        ProviderKind::Gemini if call.tools.is_empty() => {
            form.response_format = Some(JsonSpec::new("answer", json!({"type": "object"})).into());
        }
        ProviderKind::Gemini | ProviderKind::Anthropic | ProviderKind::Bedrock => {}
    }
    form
}

fn for_schema(kind: ProviderKind, model: &str, call: &ModelCall, requested: &Value) -> StructuredOutput {
    let lowered = schema::answer(kind, requested);
    let instructions = || {
        Some(format!("Answer with JSON only, without a code fence. The JSON has to fit this JSON Schema:\n{lowered}"))
    };
    let mut form = StructuredOutput::default();
    match kind {
        ProviderKind::OpenAi | ProviderKind::OpenAiResponses | ProviderKind::Compatible => {
            // Strict mode if an equivalent strict schema exists, best effort otherwise.
            let (is_strict, schema) = match schema::strict(requested) {
                Some(strict) => (true, strict),
                None => (false, lowered),
            };
            let rule = json!({"name": "answer", "strict": is_strict, "schema": schema});
            if kind == ProviderKind::OpenAiResponses {
                let mut format = rule;
                format["type"] = json!("json_schema");
                form.body.insert("text".to_owned(), json!({"format": format}));
            } else {
                let format = json!({"type": "json_schema", "json_schema": rule});
                form.body.insert("response_format".to_owned(), format);
            }
        }
        ProviderKind::Anthropic if supports_schemas(model) => {
            form.response_format = Some(JsonSpec::new("answer", lowered).into());
        }
        // Older Gemini models reject a response schema together with tools.
        ProviderKind::Gemini if call.tools.is_empty() || model.contains("gemini-3") => {
            form.response_format = Some(JsonSpec::new("answer", lowered).into());
        }
        ProviderKind::Anthropic | ProviderKind::Gemini | ProviderKind::Bedrock | ProviderKind::Ollama => {
            form.instructions = instructions();
        }
    }
    form
}

/// Claude models before 4.5 (except Opus 4.1) do not accept a schema.
fn supports_schemas(model: &str) -> bool {
    const OLDER: &[&str] = &["claude-2", "claude-3", "claude-sonnet-4-0", "claude-sonnet-4-2025", "claude-opus-4-0"];
    const OLDER_OPUS: &str = "claude-opus-4-2025";
    !OLDER.iter().any(|older| model.contains(older)) && !model.contains(OLDER_OPUS)
}
