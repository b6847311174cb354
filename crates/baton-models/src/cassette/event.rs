//! Recorded form of answer events.

use baton_ports::{FinishReason, ModelEvent};
use baton_types::{Json, ModelNote, ReasoningBlock, ToolCall, Usage};
use serde::{Deserialize, Serialize};

/// One recorded event.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CassetteEvent {
    Text(String),
    Reasoning(String),
    Reasoned(ReasoningBlock),
    ToolCall { id: String, name: String, arguments: Json },
    Note(ModelNote),
    Done { usage: Usage, finish: CassetteFinish, by: Option<String> },
}

/// Recorded finish reason.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CassetteFinish {
    Stop,
    ToolCalls,
    Length,
    Refusal,
}

impl CassetteEvent {
    /// Converts an event; `None` for retry notes, which are not part of the answer.
    pub(super) fn from_event(event: &ModelEvent) -> Option<Self> {
        Some(match event {
            ModelEvent::Text(text) => Self::Text(text.clone()),
            ModelEvent::Reasoning(text) => Self::Reasoning(text.clone()),
            ModelEvent::ReasoningComplete(reasoning) => Self::Reasoned(reasoning.clone()),
            ModelEvent::ToolCall(call) => {
                Self::ToolCall { id: call.id.to_string(), name: call.name.clone(), arguments: call.arguments.clone() }
            }
            ModelEvent::Note(ModelNote::Retried { .. }) => return None,
            ModelEvent::Note(note) => Self::Note(note.clone()),
            ModelEvent::Done { usage, finish, answered_by: by } => {
                let finish = match finish {
                    FinishReason::Stop => CassetteFinish::Stop,
                    FinishReason::ToolCalls => CassetteFinish::ToolCalls,
                    FinishReason::Length => CassetteFinish::Length,
                    FinishReason::Refusal => CassetteFinish::Refusal,
                };
                Self::Done { usage: *usage, finish, by: by.clone() }
            }
        })
    }

    /// Converts the record back to an event.
    pub(super) fn into_event(self) -> ModelEvent {
        match self {
            Self::Text(text) => ModelEvent::Text(text),
            Self::Reasoning(text) => ModelEvent::Reasoning(text),
            Self::Reasoned(reasoning) => ModelEvent::ReasoningComplete(reasoning),
            Self::ToolCall { id, name, arguments } => {
                ModelEvent::ToolCall(ToolCall { id: id.as_str().into(), name, arguments })
            }
            Self::Note(note) => ModelEvent::Note(note),
            Self::Done { usage, finish, by } => {
                let finish = match finish {
                    CassetteFinish::Stop => FinishReason::Stop,
                    CassetteFinish::ToolCalls => FinishReason::ToolCalls,
                    CassetteFinish::Length => FinishReason::Length,
                    CassetteFinish::Refusal => FinishReason::Refusal,
                };
                ModelEvent::Done { usage, finish, answered_by: by }
            }
        }
    }
}
