//! Compaction of a conversation to fit the context window of its model.

use crate::{CallId, MessageId, Usage};
use serde::{Deserialize, Serialize};

/// Replacement for the older part of a conversation; the journal keeps the full conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compaction {
    /// Last message covered by the summary; none if only tool results were shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<MessageId>,
    /// First message of the caller, which is always kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<FirstMessage>,
    /// Summary of the older part.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Tool results that are sent in shortened form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shortened: Vec<CallId>,
    /// Approximate number of tokens before.
    pub tokens_before: u64,
    /// Approximate number of tokens after.
    pub tokens_after: u64,
    /// Usage of the summary call.
    #[serde(default)]
    pub usage: Usage,
}

/// First message of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstMessage {
    /// Message id.
    pub message: MessageId,
    /// Text of the message; the middle of a very long text is omitted.
    pub text: String,
}
