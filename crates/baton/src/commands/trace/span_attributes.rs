//! Agent, operation, token and cost attributes of spans, in all supported dialects.

use baton_telemetry::names;
use baton_types::{Span, SpanStatus, SpanValue, find_attribute};

const AGENT: &[&str] = &[names::GEN_AI_AGENT_NAME, names::AGENT_NAME, names::GEN_AI_AGENT_ID, names::AGENT_ID];
const INPUT_TOKENS: &[&str] = &[
    names::GEN_AI_USAGE_INPUT_TOKENS,
    "gen_ai.usage.prompt_tokens",
    "llm.usage.prompt_tokens",
    "llm.token_count.prompt",
];
const OUTPUT_TOKENS: &[&str] = &[
    names::GEN_AI_USAGE_OUTPUT_TOKENS,
    "gen_ai.usage.completion_tokens",
    "llm.usage.completion_tokens",
    "llm.token_count.completion",
];
const COST: &[&str] = &["gen_ai.usage.cost", "baton.cost.usd", "llm.cost.total"];

/// Token counts of a model call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SpanTokens {
    /// Input tokens.
    pub(crate) input: u64,
    /// Output tokens.
    pub(crate) output: u64,
}

/// First of these attributes with a non-empty text value.
pub(crate) fn text<'a>(span: &'a Span, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| span.attribute(key).and_then(SpanValue::as_text)).filter(|text| !text.is_empty())
}

/// Name or id of the agent.
pub(crate) fn agent(span: &Span) -> Option<&str> {
    let named = || span.name.strip_prefix("invoke_agent ").filter(|name| !name.is_empty());
    text(span, AGENT).or_else(named)
}

/// `gen_ai.operation.name`, or the first word of the span name.
pub(crate) fn operation(span: &Span) -> &str {
    let first = || span.name.split(' ').next().unwrap_or_default();
    text(span, &[names::GEN_AI_OPERATION_NAME]).unwrap_or_else(first)
}

/// Token counts of a span, if recorded.
pub(crate) fn tokens(span: &Span) -> Option<SpanTokens> {
    let (input, output) = (number(span, INPUT_TOKENS), number(span, OUTPUT_TOKENS));
    let integer = |number: Option<f64>| number.map_or(0, |number| number as u64);
    (input.is_some() || output.is_some()).then(|| SpanTokens { input: integer(input), output: integer(output) })
}

/// Cost of a span in dollars, if recorded.
pub(crate) fn cost(span: &Span) -> Option<f64> {
    number(span, COST).filter(|cost| *cost >= 0.0)
}

fn number(span: &Span, keys: &[&str]) -> Option<f64> {
    keys.iter().find_map(|key| match span.attribute(key)? {
        SpanValue::Int(number) => Some(*number as f64),
        SpanValue::Float(number) => Some(*number),
        SpanValue::Text(text) => text.parse().ok(),
        _ => None,
    })
}

/// Most specific error message of a span; `None` unless its status is error.
pub(crate) fn error(span: &Span) -> Option<String> {
    if span.status != SpanStatus::Error {
        return None;
    }
    let thrown = span.events.iter().find_map(|event| {
        let message = find_attribute(&event.attributes, "exception.message").and_then(SpanValue::as_text);
        message.filter(|message| !message.is_empty())
    });
    let status_message = Some(span.status_message.as_str()).filter(|message| !message.is_empty());
    let kind = text(span, &[names::ERROR_TYPE]);
    Some(match (status_message.or(thrown), kind) {
        (Some(message), Some(kind)) if !message.contains(kind) && kind != "_OTHER" => format!("{message} ({kind})"),
        (Some(message), _) => message.to_owned(),
        (None, Some(kind)) => kind.to_owned(),
        (None, None) => "failed without an error message".to_owned(),
    })
}
