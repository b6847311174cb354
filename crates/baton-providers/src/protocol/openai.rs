//! OpenAI Chat Completions, and its parts that other protocols share.

use super::{EmbeddingRules, FailureSigns, ProviderProtocol, SamplingOptions};
use crate::{
    address,
    answer::FinalAnswer,
    exchange::{AnswerStream, ChatExchange},
    library,
    names::WireToolNames,
    request::{StructuredOutput, effort_level},
    schema::{self, SchemaDialect},
};
use baton_ports::{BoxFuture, ModelCall, ModelError, ToolChoice};
use genai::{
    adapter::AdapterKind,
    chat::{ChatResponseFormat, ReasoningEffort},
};
use serde_json::{Map, Value, json};

/// Default base address.
pub(super) const BASE_URL: &str = "https://api.openai.com/v1";

/// OpenAI Chat Completions.
pub(super) struct OpenAiProtocol;

impl ProviderProtocol for OpenAiProtocol {
    fn default_base(&self, _: Option<&str>) -> Option<String> {
        Some(BASE_URL.to_owned())
    }

    fn complete_base(&self, address: &str, path: &str) -> String {
        address::with_version(address, path, "v1")
    }

    fn chat_path(&self, _: &str, _: bool) -> String {
        "chat/completions".to_owned()
    }

    fn stream(&self, exchange: ChatExchange) -> AnswerStream {
        library::stream(AdapterKind::OpenAI, exchange)
    }

    fn answer(&self, exchange: ChatExchange) -> BoxFuture<'static, Result<FinalAnswer, ModelError>> {
        Box::pin(library::answer(AdapterKind::OpenAI, exchange))
    }

    fn dialect(&self) -> SchemaDialect {
        SchemaDialect::Full
    }

    fn json_object(&self, _: &ModelCall) -> StructuredOutput {
        json_mode()
    }

    fn json_schema(&self, _: &str, _: &ModelCall, schema: &Value) -> StructuredOutput {
        response_format(self.dialect(), schema)
    }

    fn takes_bytes(&self, media: &str) -> bool {
        media.starts_with("image/") || media.starts_with("audio/") || media == "application/pdf"
    }

    fn takes_url(&self, media: &str) -> bool {
        media.starts_with("image/")
    }

    fn forbid_parallel_calls(&self, _: &ToolChoice, _: &WireToolNames, body: &mut Map<String, Value>) {
        body.insert("parallel_tool_calls".to_owned(), json!(false));
    }

    fn sampling(&self, model: &str, sampling: SamplingOptions, _: bool) -> SamplingOptions {
        sampling_for(model, sampling)
    }

    fn takes_stop(&self, model: &str) -> bool {
        !is_reasoning_model(model)
    }

    fn effort(&self, _: &str, effort: ReasoningEffort, _: Option<u32>) -> ReasoningEffort {
        effort_level(effort)
    }

    fn neutral_effort(&self) -> Option<ReasoningEffort> {
        Some(ReasoningEffort::Budget(0))
    }

    fn sends_model_name(&self) -> bool {
        true
    }

    fn is_complete(&self, _: &FinalAnswer) -> bool {
        true
    }

    // For servers that count calls from 1, the library repeats the first call.
    fn joins_calls_by_id(&self) -> bool {
        true
    }

    fn embeddings(&self) -> Option<EmbeddingRules> {
        Some(EMBEDDINGS)
    }

    fn failure_signs(&self) -> FailureSigns {
        FailureSigns {
            statuses: &[("rate_limit_exceeded", 429), ("context_length_exceeded", 400)],
            too_long: &["context_length", "context length", "string_above_max_length"],
            quota: &["insufficient_quota", "billing_hard_limit_reached"],
        }
    }
}

/// Embeddings of OpenAI and compatible servers.
pub(super) const EMBEDDINGS: EmbeddingRules = EmbeddingRules {
    path: |_| "embeddings".to_owned(),
    body: |model, texts| json!({"model": model, "input": texts}),
    parse: |answer| {
        let mut all: Vec<&Value> = answer.get("data")?.as_array()?.iter().collect();
        all.sort_by_key(|it| it.get("index").and_then(Value::as_u64));
        all.into_iter().map(|it| serde_json::from_value(it.get("embedding")?.clone()).ok()).collect()
    },
};

/// JSON mode. The instructions are required by the service.
pub(super) fn json_mode() -> StructuredOutput {
    StructuredOutput {
        response_format: Some(ChatResponseFormat::JsonMode),
        ..StructuredOutput::from_object_instructions()
    }
}

/// Response format of chat completions.
pub(super) fn response_format(dialect: SchemaDialect, schema: &Value) -> StructuredOutput {
    let format = json!({"type": "json_schema", "json_schema": named_schema(dialect, schema)});
    let mut output = StructuredOutput::default();
    output.body.insert("response_format".to_owned(), format);
    output
}

/// The schema with a name: in strict mode if an equivalent strict schema exists, otherwise as best effort.
pub(super) fn named_schema(dialect: SchemaDialect, schema: &Value) -> Value {
    let (is_strict, schema) = match schema::strict(schema) {
        Some(strict) => (true, strict),
        None => (false, schema::answer(dialect, schema)),
    };
    json!({"name": "answer", "strict": is_strict, "schema": schema})
}

/// OpenAI reasoning models take no sampling options.
pub(super) fn sampling_for(model: &str, sampling: SamplingOptions) -> SamplingOptions {
    if is_reasoning_model(model) { SamplingOptions { temperature: None, top_p: None } } else { sampling }
}

/// Whether it is an OpenAI reasoning model.
pub(super) fn is_reasoning_model(model: &str) -> bool {
    let thinker = ["o1", "o3", "o4", "gpt-5", "gpt-6", "codex"].iter().any(|start| model.starts_with(start));
    thinker && !model.contains("-chat")
}
