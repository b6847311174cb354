//! Request data stored with a turn, to show the response again.

use baton_types::{Json, RunOptions, Thousandths};
use serde::{Deserialize, Serialize};

/// The echo of a request and its lookup data; stored as the note of a turn's run options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestRecord {
    /// The requested model; the agent's name if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Instructions of the request; not inherited by the next turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Text of system and developer messages, which are part of the conversation and also apply to later turns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub system: Vec<String>,
    /// Metadata pairs of the client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// The echo of the tools, without secrets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Json>,
    /// Value from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<Json>,
    /// Whether parallel tool calls are disabled.
    #[serde(alias = "one_call_a_turn", skip_serializing_if = "is_false")]
    pub disable_parallel_tool_calls: bool,
    /// `auto` or `disabled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncation: Option<String>,
    /// The echo of the text settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Json>,
    /// Value from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Thousandths>,
    /// Value from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<Thousandths>,
    /// Value from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<Json>,
    /// Value from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_penalty: Option<Json>,
    /// Value from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_logprobs: Option<u32>,
    /// Effort and summary from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Json>,
    /// Value from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// Value from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tool_calls: Option<u32>,
    /// Whether the response cannot be retrieved later.
    #[serde(skip_serializing_if = "is_false")]
    pub unstored: bool,
    /// Whether the response runs in the background: text is journaled while it is written, and the stream is derived
    /// from the journal only.
    #[serde(skip_serializing_if = "is_false")]
    pub background: bool,
    /// Value from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safety_identifier: Option<String>,
    /// Value from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_cache_key: Option<String>,
    /// The response that this one continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// The conversation from the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Additional data to include in items.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Whether the agent's own tool calls are hidden.
    #[serde(skip_serializing_if = "is_false")]
    pub hides_tools: bool,
    /// Client tools that take text instead of JSON.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub custom: Vec<String>,
    /// Digest of the chat, by which the answer to a question finds its run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_digest: Option<String>,
    /// The items of the request, each with an id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub input: Vec<Json>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl RequestRecord {
    /// The note of a turn; empty if the turn came through another API.
    pub fn from_run_options(options: &RunOptions) -> Self {
        options.note.as_ref().and_then(|note| note.read().ok()).unwrap_or_default()
    }

    /// The stored form of the note.
    pub fn to_json(&self) -> Option<Json> {
        Json::from_serializable(self).ok()
    }
}
