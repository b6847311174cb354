//! Native Ollama API.

use super::{EmbeddingRules, MessageLayout, ProviderProtocol, openai};
use crate::{
    address,
    answer::FinalAnswer,
    exchange::{AnswerStream, ChatExchange},
    library,
    request::StructuredOutput,
    schema::SchemaDialect,
};
use baton_ports::{BoxFuture, ModelCall, ModelError, OutputFormat};
use baton_types::ProviderKind;
use genai::adapter::AdapterKind;
use serde_json::json;

/// Native Ollama API.
pub(super) struct OllamaProtocol;

impl ProviderProtocol for OllamaProtocol {
    fn default_base(&self, _: Option<&str>) -> Option<String> {
        Some("http://127.0.0.1:11434".to_owned())
    }

    /// `OLLAMA_HOST` is a host, possibly without a port; a listen address is not an address to connect to.
    fn host_address(&self, host: &str) -> String {
        let host = host.replacen("0.0.0.0", "127.0.0.1", 1);
        let authority = host.trim_end_matches('/');
        let port = if authority.contains(':') || authority.contains('/') { "" } else { ":11434" };
        format!("http://{authority}{port}")
    }

    fn complete_base(&self, address: &str, _: &str) -> String {
        address.strip_suffix("/v1").or(address.strip_suffix("/api")).unwrap_or(address).to_owned()
    }

    fn chat_path(&self, _: &str, _: bool) -> String {
        "api/chat".to_owned()
    }

    fn models_url(&self, base: &str) -> String {
        address::join_path(base, "api/tags")
    }

    fn stream(&self, exchange: ChatExchange) -> AnswerStream {
        library::stream(AdapterKind::Ollama, exchange)
    }

    fn answer(&self, exchange: ChatExchange) -> BoxFuture<'static, Result<FinalAnswer, ModelError>> {
        Box::pin(library::answer(AdapterKind::Ollama, exchange))
    }

    /// A schema is accepted only by the OpenAI-compatible API of the server.
    fn substitute(&self, call: &ModelCall) -> Option<(ProviderKind, &'static str)> {
        matches!(call.format, OutputFormat::JsonSchema(_)).then_some((ProviderKind::Compatible, "v1"))
    }

    fn dialect(&self) -> SchemaDialect {
        SchemaDialect::Plain
    }

    fn json_object(&self, _: &ModelCall) -> StructuredOutput {
        openai::json_mode()
    }

    fn takes_bytes(&self, media: &str) -> bool {
        media.starts_with("image/")
    }

    fn layout(&self) -> MessageLayout {
        MessageLayout::ResultsSeparate
    }

    fn is_complete(&self, answer: &FinalAnswer) -> bool {
        answer.stop.is_some() || answer.usage.is_some()
    }

    fn embeddings(&self) -> Option<EmbeddingRules> {
        Some(EmbeddingRules {
            path: |_| "api/embed".to_owned(),
            body: |model, texts| json!({"model": model, "input": texts}),
            parse: |answer| {
                let all = answer.get("embeddings")?.as_array()?.iter();
                all.map(|it| serde_json::from_value(it.clone()).ok()).collect()
            },
        })
    }
}
