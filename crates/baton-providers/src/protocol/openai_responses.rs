//! OpenAI Responses.

use super::{EmbeddingRules, ProviderProtocol, SamplingOptions, openai};
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

/// OpenAI Responses.
pub(super) struct ResponsesProtocol;

impl ProviderProtocol for ResponsesProtocol {
    fn default_base(&self, _: Option<&str>) -> Option<String> {
        Some(openai::BASE_URL.to_owned())
    }

    fn complete_base(&self, address: &str, path: &str) -> String {
        address::with_version(address, path, "v1")
    }

    fn chat_path(&self, _: &str, _: bool) -> String {
        "responses".to_owned()
    }

    fn stream(&self, exchange: ChatExchange) -> AnswerStream {
        library::stream(AdapterKind::OpenAIResp, exchange)
    }

    fn answer(&self, exchange: ChatExchange) -> BoxFuture<'static, Result<FinalAnswer, ModelError>> {
        Box::pin(library::answer(AdapterKind::OpenAIResp, exchange))
    }

    fn dialect(&self) -> SchemaDialect {
        SchemaDialect::Full
    }

    fn json_object(&self, _: &ModelCall) -> StructuredOutput {
        openai::json_mode()
    }

    fn json_schema(&self, _: &str, _: &ModelCall, schema: &Value) -> StructuredOutput {
        let mut format = openai::named_schema(self.dialect(), schema);
        format["type"] = json!("json_schema");
        let mut output = StructuredOutput::default();
        output.body.insert("text".to_owned(), json!({"format": format}));
        output
    }

    fn takes_bytes(&self, media: &str) -> bool {
        media.starts_with("image/") || media == "application/pdf"
    }

    fn takes_url(&self, media: &str) -> bool {
        media.starts_with("image/")
    }

    fn forbid_parallel_calls(&self, _: &ToolChoice, _: &WireToolNames, body: &mut Map<String, Value>) {
        body.insert("parallel_tool_calls".to_owned(), json!(false));
    }

    fn sampling(&self, model: &str, sampling: SamplingOptions, _: bool) -> SamplingOptions {
        openai::sampling_for(model, sampling)
    }

    fn takes_stop(&self, _: &str) -> bool {
        false
    }

    fn requests_reasoning(&self, model: &str, thinks: bool) -> bool {
        thinks || openai::is_reasoning_model(model)
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

    fn is_complete(&self, answer: &FinalAnswer) -> bool {
        answer.stop.is_some()
    }

    fn embeddings(&self) -> Option<EmbeddingRules> {
        Some(openai::EMBEDDINGS)
    }
}
