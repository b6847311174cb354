//! Anthropic Messages, and the rules of Claude models that other protocols share.

use super::{FailureSigns, ProviderProtocol, SamplingOptions};
use crate::{
    address,
    answer::FinalAnswer,
    exchange::{AnswerStream, ChatExchange},
    library,
    names::WireToolNames,
    request::{StructuredOutput, WireToolResult, effort_tokens},
    schema::{self, SchemaDialect},
};
use baton_ports::{BoxFuture, ModelCall, ModelError, ToolChoice};
use genai::{
    adapter::AdapterKind,
    chat::{Binary, ContentPart, JsonSpec, ReasoningEffort},
};
use serde_json::{Map, Value, json};

/// Minimum thinking budget that Claude accepts.
const MIN_THINKING_BUDGET: u32 = 1_024;

/// Anthropic Messages.
pub(super) struct AnthropicProtocol;

impl ProviderProtocol for AnthropicProtocol {
    fn default_base(&self, _: Option<&str>) -> Option<String> {
        Some("https://api.anthropic.com/v1".to_owned())
    }

    /// `ANTHROPIC_BASE_URL` has no version.
    fn complete_base(&self, address: &str, path: &str) -> String {
        if path.ends_with("v1") { address.to_owned() } else { format!("{address}/v1") }
    }

    fn chat_path(&self, _: &str, _: bool) -> String {
        "messages".to_owned()
    }

    fn models_url(&self, base: &str) -> String {
        address::join_path(base, "models?limit=1000")
    }

    fn key_header(&self, key: &str) -> (&'static str, String) {
        ("x-api-key", key.to_owned())
    }

    fn fixed_headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("anthropic-version", "2023-06-01")]
    }

    fn stream(&self, exchange: ChatExchange) -> AnswerStream {
        library::stream(AdapterKind::Anthropic, exchange)
    }

    fn answer(&self, exchange: ChatExchange) -> BoxFuture<'static, Result<FinalAnswer, ModelError>> {
        Box::pin(library::answer(AdapterKind::Anthropic, exchange))
    }

    fn dialect(&self) -> SchemaDialect {
        SchemaDialect::Full
    }

    fn json_schema(&self, model: &str, _: &ModelCall, schema: &Value) -> StructuredOutput {
        if !supports_schemas(model) {
            return StructuredOutput::from_schema_instructions(self.dialect(), schema);
        }
        StructuredOutput::from_spec(JsonSpec::new("answer", schema::answer(self.dialect(), schema)))
    }

    fn takes_bytes(&self, media: &str) -> bool {
        media.starts_with("image/") || media == "application/pdf"
    }

    fn takes_url(&self, media: &str) -> bool {
        media.starts_with("image/") || media == "application/pdf"
    }

    fn url_part(&self, media: &str, url: &str, name: Option<&str>) -> ContentPart {
        if media.starts_with("image/") {
            return ContentPart::from_custom(json!({"type": "image", "source": {"type": "url", "url": url}}), None);
        }
        ContentPart::Binary(Binary::from_url(media, url, name.map(str::to_owned)))
    }

    /// Claude has an error flag and accepts images inside the result.
    fn tool_result(&self, result: WireToolResult<'_>) -> (ContentPart, Vec<ContentPart>) {
        let (text, images) = result.text_and_images();
        let mut content = Vec::new();
        if !text.is_empty() || images.is_empty() {
            // An empty text block is rejected.
            content.push(json!({"type": "text", "text": if text.is_empty() { "(empty)" } else { text.as_str() }}));
        }
        for image in images {
            let source = json!({"type": "base64", "media_type": image.media_type, "data": image.data});
            content.push(json!({"type": "image", "source": source}));
        }
        let mut block = json!({"type": "tool_result", "tool_use_id": result.id, "content": content});
        if result.is_error {
            block["is_error"] = json!(true);
        }
        (ContentPart::from_custom(block, None), Vec::new())
    }

    fn forbid_parallel_calls(&self, choice: &ToolChoice, names: &WireToolNames, body: &mut Map<String, Value>) {
        let choice = match choice {
            ToolChoice::None => return,
            ToolChoice::Auto => json!({"type": "auto", "disable_parallel_tool_use": true}),
            ToolChoice::Required => json!({"type": "any", "disable_parallel_tool_use": true}),
            ToolChoice::Named(name) => {
                json!({"type": "tool", "name": names.wire_name(name), "disable_parallel_tool_use": true})
            }
        };
        body.insert("tool_choice".to_owned(), choice);
    }

    fn sampling(&self, _: &str, sampling: SamplingOptions, thinks: bool) -> SamplingOptions {
        claude_sampling(sampling, thinks)
    }

    fn effort(&self, model: &str, effort: ReasoningEffort, max_output: Option<u32>) -> ReasoningEffort {
        if takes_thinking_budget(model) { thinking_budget(effort, max_output) } else { effort }
    }

    fn neutral_effort(&self) -> Option<ReasoningEffort> {
        Some(ReasoningEffort::Zero)
    }

    fn sends_model_name(&self) -> bool {
        true
    }

    fn is_complete(&self, _: &FinalAnswer) -> bool {
        true
    }

    fn failure_signs(&self) -> FailureSigns {
        FailureSigns {
            statuses: &[
                ("overloaded_error", 529),
                ("rate_limit_error", 429),
                ("invalid_request_error", 400),
                ("authentication_error", 401),
                ("permission_error", 403),
            ],
            too_long: &["prompt is too long", "exceed context limit", "request_too_large"],
            quota: &["credit balance is too low"],
        }
    }
}

/// Claude takes temperature or top-p, and neither with thinking. Its maximum temperature is 1.
pub(super) fn claude_sampling(sampling: SamplingOptions, thinks: bool) -> SamplingOptions {
    let SamplingOptions { temperature, top_p } = sampling;
    if thinks {
        return SamplingOptions { temperature: None, top_p: None };
    }
    SamplingOptions { temperature: temperature.map(|it| it.min(1.0)), top_p: top_p.filter(|_| temperature.is_none()) }
}

/// The effort as a thinking budget, which must be smaller than the maximum output tokens.
pub(super) fn thinking_budget(effort: ReasoningEffort, max_output: Option<u32>) -> ReasoningEffort {
    let Some(tokens) = effort_tokens(&effort) else { return effort };
    let max_budget = max_output.unwrap_or(u32::MAX).saturating_sub(1);
    ReasoningEffort::Budget(tokens.min(max_budget).max(MIN_THINKING_BUDGET))
}

/// Whether it is a Claude model that takes a token budget for thinking instead of an effort level.
fn takes_thinking_budget(model: &str) -> bool {
    const THINKING_BUDGET_MODELS: &[&str] = &[
        "claude-3-7",
        "claude-sonnet-4-0",
        "claude-sonnet-4-2",
        "claude-sonnet-4-5",
        "claude-haiku-4",
        "claude-opus-4-0",
        "claude-opus-4-1",
        "claude-opus-4-2",
    ];
    THINKING_BUDGET_MODELS.iter().any(|series| model.contains(series))
}

/// Claude models before 4.5 (except Opus 4.1) do not accept a schema.
fn supports_schemas(model: &str) -> bool {
    const OLDER: &[&str] = &["claude-2", "claude-3", "claude-sonnet-4-0", "claude-sonnet-4-2025", "claude-opus-4-0"];
    const OLDER_OPUS: &str = "claude-opus-4-2025";
    !OLDER.iter().any(|older| model.contains(older)) && !model.contains(OLDER_OPUS)
}
