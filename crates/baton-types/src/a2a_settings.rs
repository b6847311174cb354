//! How an agent's answers appear over A2A.

use serde::{Deserialize, Serialize};

/// The key `a2a` of an agent or of a server. A member without a value follows the next level: agent, server, default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct A2aSettings {
    /// Where the answer stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerPlacement>,
    /// Whether callers see text while it is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_text: Option<TextStreaming>,
}

/// Where A2A shows the answer of a completed task; the history has it in any case.
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

/// How text of the model reaches a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextStreaming {
    /// Once, when it is complete.
    Whole,
    /// While it is written, and once more when it is complete.
    Chunks,
}

impl A2aSettings {
    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These settings; what they leave open is as `fallback` says.
    #[must_use]
    pub fn or(self, fallback: Self) -> Self {
        Self { answer: self.answer.or(fallback.answer), stream_text: self.stream_text.or(fallback.stream_text) }
    }
}
