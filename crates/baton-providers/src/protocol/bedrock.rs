//! Amazon Bedrock Converse, serialized here instead of in the client library: a signature covers the exact body.

mod answer;
mod converse;
mod event_stream;
mod publisher;
mod request;

use super::{
    FailureSigns, MessageLayout, ProviderProtocol, SamplingOptions, SigningScope,
    anthropic::{claude_sampling, thinking_budget},
};
use crate::{
    ListedModel,
    address::{encode_segment, join_path},
    answer::FinalAnswer,
    exchange::{AnswerStream, ChatExchange},
    schema::SchemaDialect,
};
use baton_ports::{BoxFuture, ChatMessage, ModelCall, ModelError, ToolChoice};
use genai::chat::ReasoningEffort;
use serde_json::Value;

/// Default region.
const DEFAULT_REGION: &str = "us-east-1";
/// Service name in signatures, for model calls and for the model list.
const SIGNING_SERVICE: &str = "bedrock";

/// Amazon Bedrock Converse.
pub(super) struct BedrockProtocol;

impl ProviderProtocol for BedrockProtocol {
    fn default_base(&self, region: Option<&str>) -> Option<String> {
        Some(format!("https://bedrock-runtime.{}.amazonaws.com", region.unwrap_or(DEFAULT_REGION)))
    }

    fn chat_path(&self, model: &str, streaming: bool) -> String {
        let model = encode_segment(model);
        match streaming {
            true => format!("model/{model}/converse-stream"),
            false => format!("model/{model}/converse"),
        }
    }

    /// The model list is on another host than the runtime.
    fn models_url(&self, base: &str) -> String {
        let base = base.replacen("://bedrock-runtime.", "://bedrock.", 1);
        join_path(&base, "foundation-models?byOutputModality=TEXT")
    }

    fn signing_scope<'a>(&self, host: &'a str, region: Option<&'a str>) -> Option<SigningScope<'a>> {
        let region = host_region(host).or(region).unwrap_or(DEFAULT_REGION);
        Some(SigningScope { region, service: SIGNING_SERVICE })
    }

    fn stream(&self, exchange: ChatExchange) -> AnswerStream {
        converse::stream(exchange)
    }

    fn answer(&self, exchange: ChatExchange) -> BoxFuture<'static, Result<FinalAnswer, ModelError>> {
        Box::pin(converse::answer(exchange))
    }

    fn dialect(&self) -> SchemaDialect {
        SchemaDialect::Plain
    }

    fn takes_bytes(&self, media: &str) -> bool {
        request::image_format(media).is_some() || media == "application/pdf"
    }

    fn layout(&self) -> MessageLayout {
        MessageLayout::AlternatingRoles
    }

    /// There is no option to forbid tool calls, but the tools that occur in the history are required.
    fn sends_tools(&self, call: &ModelCall) -> bool {
        let has_results = || call.messages.iter().any(|message| matches!(message, ChatMessage::Tool { .. }));
        call.tool_choice != ToolChoice::None || has_results()
    }

    fn sampling(&self, model: &str, sampling: SamplingOptions, thinks: bool) -> SamplingOptions {
        if is_claude(model) { claude_sampling(sampling, thinks) } else { sampling }
    }

    fn effort(&self, model: &str, effort: ReasoningEffort, max_output: Option<u32>) -> ReasoningEffort {
        if is_claude(model) { thinking_budget(effort, max_output) } else { effort }
    }

    fn is_complete(&self, answer: &FinalAnswer) -> bool {
        answer.stop.is_some()
    }

    fn parse_models(&self, answer: &Value) -> Vec<ListedModel> {
        let all = answer.get("modelSummaries").and_then(Value::as_array).into_iter().flatten();
        let text = |model: &Value, name: &str| model.get(name).and_then(Value::as_str).map(str::to_owned);
        let listed = |model| {
            let id = text(model, "modelId")?;
            let title = text(model, "modelName").filter(|title| *title != id);
            Some(ListedModel { id, title, window: None, max_output: None })
        };
        all.filter_map(listed).collect()
    }

    fn failure_signs(&self) -> FailureSigns {
        FailureSigns {
            statuses: &[
                ("validationException", 400),
                ("modelTimeoutException", 408),
                ("throttlingException", 429),
                ("internalServerException", 500),
                ("serviceUnavailableException", 503),
            ],
            too_long: &["input is too long", "too many input tokens", "maximum number of input tokens"],
            ..FailureSigns::default()
        }
    }
}

fn is_claude(model: &str) -> bool {
    model.contains("anthropic.")
}

/// Region in the host of an AWS address; a request to it must be signed for this region.
fn host_region(host: &str) -> Option<&str> {
    let inside = host.strip_suffix(".amazonaws.com").or_else(|| host.strip_suffix(".amazonaws.com.cn"))?;
    let mut labels = inside.split('.').skip_while(|label| !label.starts_with("bedrock"));
    labels.nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aws_hosts_contain_their_region() {
        for (host, named) in [
            ("bedrock-runtime.eu-west-1.amazonaws.com", Some("eu-west-1")),
            ("bedrock.us-gov-west-1.amazonaws.com", Some("us-gov-west-1")),
            ("bedrock-runtime-fips.us-east-2.amazonaws.com", Some("us-east-2")),
            ("bedrock-runtime.cn-north-1.amazonaws.com.cn", Some("cn-north-1")),
            ("vpce-0a1-b2.bedrock-runtime.eu-central-1.vpce.amazonaws.com", Some("eu-central-1")),
            ("gate.example", None),
            ("127.0.0.1", None),
            ("s3.eu-west-1.amazonaws.com", None),
        ] {
            assert_eq!(host_region(host), named, "{host}");
        }
    }
}
