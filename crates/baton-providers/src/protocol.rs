//! Protocols of providers: one file each, behind one trait.

mod anthropic;
mod bedrock;
mod compatible;
mod gemini;
mod ollama;
mod openai;
mod openai_responses;
mod provider_protocol;

pub(crate) use provider_protocol::{
    EmbeddingRules, FailureSigns, MessageLayout, ProviderProtocol, SamplingOptions, SigningScope,
};

use baton_types::ProviderKind;

/// Implementation of a protocol.
pub(crate) fn protocol_for(kind: ProviderKind) -> &'static dyn ProviderProtocol {
    match kind {
        ProviderKind::OpenAi => &openai::OpenAiProtocol,
        ProviderKind::OpenAiResponses => &openai_responses::ResponsesProtocol,
        ProviderKind::Anthropic => &anthropic::AnthropicProtocol,
        ProviderKind::Gemini => &gemini::GeminiProtocol,
        ProviderKind::Bedrock => &bedrock::BedrockProtocol,
        ProviderKind::Ollama => &ollama::OllamaProtocol,
        ProviderKind::Compatible => &compatible::CompatibleProtocol,
    }
}
