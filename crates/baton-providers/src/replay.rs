//! Reasoning that a service requires back with the tool results, in a form that the journal stores.

use crate::protocol::ProviderProtocol;
use baton_types::{Json, ReasoningBlock};
use genai::chat::{ContentPart, ToolCall};
use serde_json::{Map, Value, json};

/// The data to send back, if any: signatures, signed text and encrypted blocks in order, and the signatures of calls.
pub(crate) fn capture(
    protocol: &dyn ProviderProtocol,
    parts: &[ContentPart],
    calls: &[ToolCall],
    thought: &str,
) -> Option<Json> {
    let mut blocks: Vec<Value> = parts
        .iter()
        .filter_map(|part| match part {
            ContentPart::ThoughtSignature(signature) => Some(json!({"signature": signature})),
            ContentPart::ReasoningContent(text) => Some(json!({"text": text})),
            ContentPart::Custom(custom) => Some(json!({"block": custom.data})),
            _ => None,
        })
        .collect();
    if protocol.replays_unsigned_reasoning() && blocks.is_empty() && !calls.is_empty() && !thought.is_empty() {
        blocks.push(json!({"text": thought}));
    }
    let of_calls: Map<String, Value> = calls
        .iter()
        .enumerate()
        .filter_map(|(index, call)| Some((index.to_string(), json!(call.thought_signatures.as_ref()?))))
        .collect();
    if blocks.is_empty() && of_calls.is_empty() {
        return None;
    }
    Some(Json::from(json!({"parts": blocks, "calls": of_calls})))
}

/// The leading parts of the message; unsigned text is sent back only together with calls.
pub(crate) fn parts(reasoning: &ReasoningBlock, with_calls: bool) -> Vec<ContentPart> {
    let Some(replay_data) = reasoning.replay.as_ref().map(Json::to_value) else { return Vec::new() };
    let parts = replay_data.get("parts").and_then(Value::as_array).cloned().unwrap_or_default();
    let signed = parts.iter().any(|part| part.get("text").is_none());
    let part = |part: &Value| {
        let text = |name: &str| part.get(name).and_then(Value::as_str).map(str::to_owned);
        if let Some(signature) = text("signature") {
            return Some(ContentPart::ThoughtSignature(signature));
        }
        if let Some(text) = text("text") {
            return (signed || with_calls).then_some(ContentPart::ReasoningContent(text));
        }
        Some(ContentPart::from_custom(part.get("block")?.clone(), None))
    };
    parts.iter().filter_map(part).collect()
}

/// Signatures of one call.
pub(crate) fn call_signatures(reasoning: &ReasoningBlock, index: usize) -> Option<Vec<String>> {
    let replay_data = reasoning.replay.as_ref()?.to_value();
    serde_json::from_value(replay_data.get("calls")?.get(index.to_string())?.clone()).ok()
}
