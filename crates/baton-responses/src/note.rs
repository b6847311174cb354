//! What is kept with a turn so that it can be shown again.

use baton_types::{Json, Thousandths, Wishes};
use serde::{Deserialize, Serialize};

/// The echo of a request and what has to be found again; kept as the note of a turn's wishes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Note {
    /// The model as it was asked for; the agent's name when none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Words of the request that go before the conversation; not inherited by the next turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Words of system and developer messages, which are part of the conversation and hold in later turns too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub system: Vec<String>,
    /// Pairs of the caller's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// The tools as they are shown again, secrets taken out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Json>,
    /// As it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<Json>,
    /// Whether a turn makes at most one call.
    #[serde(skip_serializing_if = "is_false")]
    pub one_call_a_turn: bool,
    /// `auto` or `disabled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncation: Option<String>,
    /// The form of text as it is shown again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Json>,
    /// As it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Thousandths>,
    /// As it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<Thousandths>,
    /// As it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<Json>,
    /// As it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_penalty: Option<Json>,
    /// As it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_logprobs: Option<u32>,
    /// Effort and summary as they were given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Json>,
    /// As it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// As it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tool_calls: Option<u32>,
    /// Whether the response cannot be asked for later.
    #[serde(skip_serializing_if = "is_false")]
    pub unstored: bool,
    /// Whether nobody waits; text is journaled while it is written, and the stream is a function of the journal.
    #[serde(skip_serializing_if = "is_false")]
    pub background: bool,
    /// As it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safety_identifier: Option<String>,
    /// As it was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_cache_key: Option<String>,
    /// The response that this one goes on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// The conversation as it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// What else is wanted in items.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Whether the agent's own calls are not shown.
    #[serde(skip_serializing_if = "is_false")]
    pub hides_tools: bool,
    /// Tools of the caller's that take text rather than JSON.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub custom: Vec<String>,
    /// Digest of the chat that was sent, by which the answer to a question finds the run again.
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

impl Note {
    /// The note of a turn; that of a turn that another surface began says nothing.
    pub fn of(wishes: &Wishes) -> Self {
        wishes.note.as_ref().and_then(|note| note.read().ok()).unwrap_or_default()
    }

    /// As the note of wishes.
    pub fn to_json(&self) -> Option<Json> {
        Json::of(self).ok()
    }
}
