//! Conversion of provider answers to events of the model port.

use crate::{ProviderKind, names::WireToolNames, replay};
use baton_ports::{FinishReason, ModelEvent};
use baton_types::{CallId, Json, MessageId, ReasoningBlock, ToolCall, Usage};
use genai::chat::{self, ContentPart, StopReason};
use serde_json::Value;

/// Final data of an answer, streamed or not.
pub(crate) struct FinalAnswer {
    pub(crate) parts: Vec<ContentPart>,
    pub(crate) reasoning: Option<String>,
    pub(crate) usage: Option<chat::Usage>,
    pub(crate) stop: Option<StopReason>,
}

/// Context for converting an answer.
pub(crate) struct AnswerContext<'a> {
    pub(crate) kind: ProviderKind,
    pub(crate) model: &'a str,
    pub(crate) names: &'a WireToolNames,
    pub(crate) message: &'a MessageId,
    pub(crate) parallel: bool,
}

impl FinalAnswer {
    /// Whether the answer is complete; some streams end without an error when the connection breaks.
    pub(crate) fn is_complete(&self, kind: ProviderKind) -> bool {
        match kind {
            ProviderKind::OpenAiResponses | ProviderKind::Gemini | ProviderKind::Bedrock => self.stop.is_some(),
            ProviderKind::Ollama => self.stop.is_some() || self.usage.is_some(),
            _ => true,
        }
    }

    /// Whether the answer is empty, even without a stop reason; some services report errors with a success status.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty() && self.stop.is_none() && self.reasoning.is_none()
    }

    /// The final events: reasoning, tool calls and the end.
    pub(crate) fn events(self, reading: &AnswerContext<'_>) -> Vec<ModelEvent> {
        let (calls, rest): (Vec<ContentPart>, Vec<ContentPart>) =
            self.parts.into_iter().partition(ContentPart::is_tool_call);
        let calls =
            executable_calls(reading, calls.into_iter().filter_map(ContentPart::into_tool_call), self.stop.as_ref());
        let thought = self.reasoning.unwrap_or_default();
        let replay = replay::capture(reading.kind, &rest, &calls, &thought);
        let mut events = Vec::new();
        if replay.is_some() || !thought.is_empty() {
            events.push(ModelEvent::ReasoningComplete(ReasoningBlock {
                model: reading.model.to_owned(),
                text: thought,
                replay,
                after_text: false,
            }));
        }
        // Tool calls decide the finish reason, since services report stop reasons inconsistently.
        let finish = match &self.stop {
            _ if !calls.is_empty() => FinishReason::ToolCalls,
            Some(StopReason::MaxTokens(_)) => FinishReason::Length,
            Some(StopReason::ContentFilter(_)) => FinishReason::Refusal,
            Some(StopReason::Other(reason)) if is_refusal(reason) => FinishReason::Refusal,
            _ => FinishReason::Stop,
        };
        let numbered = calls.into_iter().enumerate();
        events.extend(numbered.map(|(index, call)| ModelEvent::ToolCall(convert_call(reading, index, call))));
        events.push(ModelEvent::Done { usage: usage(reading.kind, self.usage), finish, answered_by: None });
        events
    }
}

/// The calls that can be executed: without unnamed, duplicate and truncated ones; at most one unless parallel calls are
/// allowed.
fn executable_calls(
    reading: &AnswerContext<'_>,
    calls: impl Iterator<Item = chat::ToolCall>,
    stop: Option<&StopReason>,
) -> Vec<chat::ToolCall> {
    let mut unique: Vec<chat::ToolCall> = Vec::new();
    let cut = matches!(stop, Some(StopReason::MaxTokens(_)));
    for call in calls.filter(|call| !call.fn_name.is_empty()) {
        if cut && call.fn_arguments.as_str().is_some_and(|text| serde_json::from_str::<Value>(text).is_err()) {
            continue;
        }
        // For servers that count calls from 1, the library repeats the first call.
        let duplicate = unique.iter().position(|it| reading.kind.is_openai_chat() && it.call_id == call.call_id);
        match duplicate {
            Some(at) => unique[at] = call,
            None => unique.push(call),
        }
    }
    if !reading.parallel {
        unique.truncate(1);
    }
    unique
}

/// A call with a generated id, since some services provide none and others repeat theirs.
fn convert_call(reading: &AnswerContext<'_>, index: usize, call: chat::ToolCall) -> ToolCall {
    let arguments = match call.fn_arguments {
        Value::String(text) if text.trim().is_empty() => Json::from(Value::Object(serde_json::Map::new())),
        // Invalid JSON is kept as a string, so that the model can be informed.
        Value::String(text) => Json::parse(&text).unwrap_or_else(|_| Json::string(&text)),
        Value::Null => Json::from(Value::Object(serde_json::Map::new())),
        value => Json::from(value),
    };
    ToolCall {
        id: CallId::from(format!("call_{}_{index}", reading.message)),
        name: reading.names.original_name(&call.fn_name),
        arguments,
    }
}

fn is_refusal(reason: &str) -> bool {
    matches!(reason, "guardrail_intervened" | "content_filtered")
}

fn usage(kind: ProviderKind, reported: Option<chat::Usage>) -> Usage {
    let Some(reported) = reported else { return Usage::default() };
    let count = |tokens: Option<i32>| u64::try_from(tokens.unwrap_or_default()).unwrap_or_default();
    let read = reported.prompt_tokens_details.as_ref();
    let cached = count(read.and_then(|it| it.cached_tokens));
    let written = count(read.and_then(|it| it.cache_creation_tokens));
    let reasoning = count(reported.completion_tokens_details.as_ref().and_then(|it| it.reasoning_tokens));
    // Bedrock counts cached tokens separately from input tokens.
    let beside = if kind == ProviderKind::Bedrock { cached + written } else { 0 };
    Usage {
        input_tokens: count(reported.prompt_tokens) + beside,
        output_tokens: count(reported.completion_tokens).max(reasoning),
        cached_tokens: cached,
        cache_write_tokens: written,
        reasoning_tokens: reasoning,
        micro_dollars: 0,
    }
}
