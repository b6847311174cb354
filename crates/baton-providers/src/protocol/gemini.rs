//! Google Gemini.

use super::{EmbeddingRules, FailureSigns, ProviderProtocol};
use crate::{
    ListedModel,
    address::{self, encode_segment},
    answer::FinalAnswer,
    exchange::{AnswerStream, ChatExchange},
    library, list,
    request::{StructuredOutput, effort_level},
    schema::{self, SchemaDialect},
};
use baton_ports::{BoxFuture, ModelCall, ModelError};
use genai::{
    adapter::AdapterKind,
    chat::{JsonSpec, ReasoningEffort},
};
use serde_json::{Value, json};

/// Google Gemini.
pub(super) struct GeminiProtocol;

impl ProviderProtocol for GeminiProtocol {
    fn default_base(&self, _: Option<&str>) -> Option<String> {
        Some("https://generativelanguage.googleapis.com/v1beta".to_owned())
    }

    fn complete_base(&self, address: &str, path: &str) -> String {
        address::with_version(address, path, "v1beta")
    }

    fn chat_path(&self, model: &str, streaming: bool) -> String {
        let model = encode_segment(model);
        match streaming {
            true => format!("models/{model}:streamGenerateContent?alt=sse"),
            false => format!("models/{model}:generateContent"),
        }
    }

    fn models_url(&self, base: &str) -> String {
        address::join_path(base, "models?pageSize=1000")
    }

    fn key_header(&self, key: &str) -> (&'static str, String) {
        ("x-goog-api-key", key.to_owned())
    }

    fn stream(&self, exchange: ChatExchange) -> AnswerStream {
        library::stream(AdapterKind::Gemini, exchange)
    }

    fn answer(&self, exchange: ChatExchange) -> BoxFuture<'static, Result<FinalAnswer, ModelError>> {
        Box::pin(library::answer(AdapterKind::Gemini, exchange))
    }

    fn dialect(&self) -> SchemaDialect {
        SchemaDialect::Gemini
    }

    fn json_object(&self, call: &ModelCall) -> StructuredOutput {
        let mut output = StructuredOutput::from_object_instructions();
        if call.tools.is_empty() {
            output.response_format = Some(JsonSpec::new("answer", json!({"type": "object"})).into());
        }
        output
    }

    fn json_schema(&self, model: &str, call: &ModelCall, schema: &Value) -> StructuredOutput {
        // Older models reject a response schema together with tools.
        if !call.tools.is_empty() && !is_third_generation(model) {
            return StructuredOutput::from_schema_instructions(self.dialect(), schema);
        }
        StructuredOutput::from_spec(JsonSpec::new("answer", schema::answer(self.dialect(), schema)))
    }

    fn takes_bytes(&self, _: &str) -> bool {
        true
    }

    fn takes_url(&self, _: &str) -> bool {
        true
    }

    fn requests_reasoning(&self, model: &str, thinks: bool) -> bool {
        thinks || model.contains("gemini-2.5") || is_third_generation(model)
    }

    fn effort(&self, model: &str, effort: ReasoningEffort, _: Option<u32>) -> ReasoningEffort {
        match effort {
            // For no reasoning, the library sends nothing, and the model would still think.
            ReasoningEffort::Zero if is_third_generation(model) => ReasoningEffort::Low,
            ReasoningEffort::Zero if model.contains("-pro") => ReasoningEffort::Budget(128),
            ReasoningEffort::Zero => ReasoningEffort::Budget(0),
            effort if is_third_generation(model) => effort_level(effort),
            effort => effort,
        }
    }

    fn neutral_effort(&self) -> Option<ReasoningEffort> {
        Some(ReasoningEffort::Zero)
    }

    fn is_complete(&self, answer: &FinalAnswer) -> bool {
        answer.stop.is_some()
    }

    fn embeddings(&self) -> Option<EmbeddingRules> {
        Some(EmbeddingRules {
            path: |model| format!("models/{}:batchEmbedContents", encode_segment(model)),
            body: |model, texts| {
                let request =
                    |text: &String| json!({"model": format!("models/{model}"), "content": {"parts": [{"text": text}]}});
                json!({"requests": texts.iter().map(request).collect::<Vec<_>>()})
            },
            parse: |answer| {
                let all = answer.get("embeddings")?.as_array()?.iter();
                all.map(|it| serde_json::from_value(it.get("values")?.clone()).ok()).collect()
            },
        })
    }

    fn parse_models(&self, answer: &Value) -> Vec<ListedModel> {
        let is_usable = |model: &Value| {
            let methods = model.get("supportedGenerationMethods").and_then(Value::as_array);
            methods.is_none_or(|all| all.iter().any(|method| method == "generateContent" || method == "embedContent"))
        };
        list::items(answer).iter().filter(|model| is_usable(model)).filter_map(list::parse_model).collect()
    }

    fn failure_signs(&self) -> FailureSigns {
        FailureSigns {
            statuses: &[("RESOURCE_EXHAUSTED", 429)],
            too_long: &["input token count", "exceeds the maximum number of tokens"],
            ..FailureSigns::default()
        }
    }
}

fn is_third_generation(model: &str) -> bool {
    model.contains("gemini-3")
}
