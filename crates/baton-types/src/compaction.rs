//! A conversation made to fit its model's window.

use crate::{CallId, MessageId, Usage};
use serde::{Deserialize, Serialize};

/// What the model is given in place of the older part of a conversation; the journal keeps all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compaction {
    /// The last message that the summary stands for; none when only results were shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<MessageId>,
    /// The caller's first words of the conversation, which the model is given whatever else goes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<FirstWords>,
    /// What the model is told of the older part.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// Results of tools that the model is given in short.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shortened: Vec<CallId>,
    /// About how many tokens there were.
    pub tokens_before: u64,
    /// About how many are left.
    pub tokens_after: u64,
    /// What writing the summary used.
    #[serde(default)]
    pub usage: Usage,
}

/// How a conversation began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstWords {
    /// The caller's message.
    pub message: MessageId,
    /// What it says; the middle is left out of what is very long.
    pub text: String,
}
