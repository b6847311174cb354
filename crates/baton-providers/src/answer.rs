//! Conversion of provider answers to events of the model port.

use crate::{names::WireToolNames, protocol::ProviderProtocol, replay};
use baton_ports::{FinishReason, ModelEvent};
use baton_types::{CallId, Json, MessageId, ReasoningBlock, ToolCall, Usage};
use genai::chat::{self, ContentPart, StopReason};
use serde_json::Value;

/// Final data of an answer, streamed or not.
#[derive(Default)]
pub(crate) struct FinalAnswer {
    pub(crate) parts: Vec<ContentPart>,
    pub(crate) reasoning: Option<String>,
    pub(crate) usage: Option<Usage>,
    pub(crate) stop: Option<StopReason>,
}

/// Context for converting an answer.
pub(crate) struct AnswerContext<'a> {
    pub(crate) protocol: &'static dyn ProviderProtocol,
    pub(crate) model: &'a str,
    pub(crate) names: &'a WireToolNames,
    pub(crate) message: &'a MessageId,
    pub(crate) parallel: bool,
}

impl FinalAnswer {
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
        let replay = replay::capture(reading.protocol, &rest, &calls, &thought);
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
            _ => FinishReason::Stop,
        };
        let numbered = calls.into_iter().enumerate();
        events.extend(numbered.map(|(index, call)| ModelEvent::ToolCall(convert_call(reading, index, call))));
        events.push(ModelEvent::Done { usage: self.usage.unwrap_or_default(), finish, answered_by: None });
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
        let duplicate = unique.iter().position(|it| reading.protocol.joins_calls_by_id() && it.call_id == call.call_id);
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
