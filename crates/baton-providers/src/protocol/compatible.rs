//! Servers compatible with OpenAI Chat Completions.

use super::{EmbeddingRules, FailureSigns, ProviderProtocol, openai};
use crate::{
    address,
    answer::FinalAnswer,
    exchange::{AnswerStream, ChatExchange},
    library,
    names::WireToolNames,
    request::{StructuredOutput, effort_level},
    schema::SchemaDialect,
};
use baton_ports::{BoxFuture, ModelCall, ModelError, ToolChoice};
use genai::{adapter::AdapterKind, chat::ReasoningEffort};
use serde_json::{Map, Value, json};

/// Servers compatible with OpenAI Chat Completions.
pub(super) struct CompatibleProtocol;

impl ProviderProtocol for CompatibleProtocol {
    fn default_base(&self, _: Option<&str>) -> Option<String> {
        None
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
        SchemaDialect::Plain
    }

    fn json_object(&self, _: &ModelCall) -> StructuredOutput {
        openai::json_mode()
    }

    fn json_schema(&self, _: &str, _: &ModelCall, schema: &Value) -> StructuredOutput {
        openai::response_format(self.dialect(), schema)
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

    // Some servers require the reasoning text back.
    fn replays_unsigned_reasoning(&self) -> bool {
        true
    }

    fn embeddings(&self) -> Option<EmbeddingRules> {
        Some(openai::EMBEDDINGS)
    }

    fn failure_signs(&self) -> FailureSigns {
        FailureSigns { too_long: &["context window", "context size", "exceed_context_size"], ..FailureSigns::default() }
    }
}
