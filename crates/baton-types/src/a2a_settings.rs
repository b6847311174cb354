//! Presentation of an agent's answers over A2A.

use serde::{Deserialize, Serialize};

/// The key `a2a` of an agent or of a server. An unset member falls back to the next level: agent, server, default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct A2aSettings {
    /// Placement of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerPlacement>,
    /// Delivery of text to streams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_text: Option<TextDelivery>,
}

/// Placement of the answer of a completed task; the history contains it in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerPlacement {
    /// In an artifact; the completed status has no message.
    Artifact,
    /// In the message of the completed status, after `working` statuses with the text so far; there is no artifact.
    Status,
    /// In an artifact and in the message of the completed status.
    Both,
}

/// Delivery of model text to a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextDelivery {
    /// Once, when complete.
    Whole,
    /// As deltas, and once more when complete.
    Chunks,
}

impl A2aSettings {
    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These settings, with unset members taken from `fallback`.
    #[must_use]
    pub fn or(self, fallback: Self) -> Self {
        Self { answer: self.answer.or(fallback.answer), stream_text: self.stream_text.or(fallback.stream_text) }
    }
}
