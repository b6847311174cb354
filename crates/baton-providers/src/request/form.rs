//! How each provider is brought to answer in a form.

use crate::{ProviderKind, schema};
use baton_ports::{ModelCall, OutputFormat};
use genai::chat::{ChatResponseFormat, JsonSpec};
use serde_json::{Map, Value, json};

/// What an answer's form adds to a request.
#[derive(Debug, Default)]
pub(super) struct Form {
    /// An option of the client library.
    pub(super) option: Option<ChatResponseFormat>,
    /// Members of the request itself.
    pub(super) body: Map<String, Value>,
    /// Words for the model, where the service has nothing of the kind.
    pub(super) told: Option<String>,
}

/// The protocol of a request: Ollama takes a schema only through its OpenAI-compatible side.
pub(super) fn protocol(kind: ProviderKind, base: String, call: &ModelCall) -> (ProviderKind, String) {
    match (kind, &call.format) {
        (ProviderKind::Ollama, OutputFormat::JsonSchema(_)) => (ProviderKind::Compatible, format!("{base}/v1")),
        _ => (kind, base),
    }
}

/// What the form of a call's answer comes to with this model.
pub(super) fn of(kind: ProviderKind, model: &str, call: &ModelCall) -> Form {
    match &call.format {
        OutputFormat::Text => Form::default(),
        OutputFormat::JsonObject => object(kind, call),
        OutputFormat::JsonSchema(wanted) => fitting(kind, model, call, &wanted.to_value()),
    }
}

fn object(kind: ProviderKind, call: &ModelCall) -> Form {
    let told = Some("Answer with one JSON object and nothing else.".to_owned());
    let mut form = Form { told, ..Form::default() };
    match kind {
        ProviderKind::OpenAi | ProviderKind::OpenAiResponses | ProviderKind::Compatible | ProviderKind::Ollama => {
            form.option = Some(ChatResponseFormat::JsonMode);
        }
        ProviderKind::Gemini if call.tools.is_empty() => {
            form.option = Some(JsonSpec::new("answer", json!({"type": "object"})).into());
        }
        ProviderKind::Gemini | ProviderKind::Anthropic | ProviderKind::Bedrock => {}
    }
    form
}

fn fitting(kind: ProviderKind, model: &str, call: &ModelCall, wanted: &Value) -> Form {
    let lowered = schema::answer(kind, wanted);
    let told = || {
        Some(format!("Answer with JSON only, without a code fence. The JSON has to fit this JSON Schema:\n{lowered}"))
    };
    let mut form = Form::default();
    match kind {
        ProviderKind::OpenAi | ProviderKind::OpenAiResponses | ProviderKind::Compatible => {
            // Held to word for word when that says the same as the schema, and a wish otherwise.
            let (held, schema) = match schema::strict(wanted) {
                Some(strict) => (true, strict),
                None => (false, lowered),
            };
            let rule = json!({"name": "answer", "strict": held, "schema": schema});
            if kind == ProviderKind::OpenAiResponses {
                let mut format = rule;
                format["type"] = json!("json_schema");
                form.body.insert("text".to_owned(), json!({"format": format}));
            } else {
                let format = json!({"type": "json_schema", "json_schema": rule});
                form.body.insert("response_format".to_owned(), format);
            }
        }
        ProviderKind::Anthropic if holds_to_schemas(model) => {
            form.option = Some(JsonSpec::new("answer", lowered).into());
        }
        // Older Gemini models refuse a form together with tools.
        ProviderKind::Gemini if call.tools.is_empty() || model.contains("gemini-3") => {
            form.option = Some(JsonSpec::new("answer", lowered).into());
        }
        ProviderKind::Anthropic | ProviderKind::Gemini | ProviderKind::Bedrock | ProviderKind::Ollama => {
            form.told = told();
        }
    }
    form
}

/// Claude models before 4.5 (and Opus 4.1) do not take a schema.
fn holds_to_schemas(model: &str) -> bool {
    const OLDER: &[&str] = &["claude-2", "claude-3", "claude-sonnet-4-0", "claude-sonnet-4-2025", "claude-opus-4-0"];
    const OLDER_OPUS: &str = "claude-opus-4-2025";
    !OLDER.iter().any(|older| model.contains(older)) && !model.contains(OLDER_OPUS)
}
