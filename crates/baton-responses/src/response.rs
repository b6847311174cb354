//! The response object.

use crate::{ContentPart, Note, OutputItem};
use baton_types::{Json, Thousandths, Usage};
use serde::Serialize;
use serde_json::json;

/// Where a response stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseStatus {
    /// Accepted, not begun.
    Queued,
    /// Worked on.
    InProgress,
    /// Done, or the caller has the word.
    Completed,
    /// Ended by an error.
    Failed,
    /// Ended by a limit.
    Incomplete,
    /// Ended by the caller.
    Cancelled,
}

/// Why a response failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResponseError {
    /// The stable code, `BTN-...`.
    pub code: String,
    /// What happened and what to do.
    pub message: String,
}

/// Why a response is not complete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IncompleteDetails {
    /// As a word.
    pub reason: &'static str,
}

/// Tokens that were used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ResponseUsage {
    /// Tokens read.
    pub input_tokens: u64,
    /// More about them.
    pub input_tokens_details: InputDetails,
    /// Tokens written.
    pub output_tokens: u64,
    /// More about them.
    pub output_tokens_details: OutputDetails,
    /// Both together.
    pub total_tokens: u64,
}

/// More about tokens read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InputDetails {
    /// Those from a cache.
    pub cached_tokens: u64,
    /// Those written to a cache.
    pub cache_write_tokens: u64,
}

/// More about tokens written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OutputDetails {
    /// Those of reasoning.
    pub reasoning_tokens: u64,
}

impl From<Usage> for ResponseUsage {
    fn from(usage: Usage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            input_tokens_details: InputDetails {
                cached_tokens: usage.cached_tokens,
                cache_write_tokens: usage.cache_write_tokens,
            },
            output_tokens: usage.output_tokens,
            output_tokens_details: OutputDetails { reasoning_tokens: usage.reasoning_tokens },
            total_tokens: usage.total(),
        }
    }
}

/// A response; every member is always written, because strict readers want each of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Response {
    /// Its id.
    pub id: String,
    /// Always `response`.
    pub object: &'static str,
    /// When it began, in seconds.
    pub created_at: i64,
    /// When it was done, in seconds.
    pub completed_at: Option<i64>,
    /// Where it stands.
    pub status: ResponseStatus,
    /// Why it is not complete.
    pub incomplete_details: Option<IncompleteDetails>,
    /// Who answers, as the caller asked for it.
    pub model: String,
    /// The response that it goes on from.
    pub previous_response_id: Option<String>,
    /// Words of the request.
    pub instructions: Option<String>,
    /// What came out.
    pub output: Vec<OutputItem>,
    /// Why it failed.
    pub error: Option<ResponseError>,
    /// Tools of the request.
    pub tools: Vec<Json>,
    /// As it was given, or `auto`.
    pub tool_choice: Json,
    /// `auto` or `disabled`.
    pub truncation: String,
    /// Whether a turn may make several calls.
    pub parallel_tool_calls: bool,
    /// The form of the answer.
    pub text: Json,
    /// As it was given, or 1.
    pub top_p: Json,
    /// As it was given, or 0.
    pub presence_penalty: Json,
    /// As it was given, or 0.
    pub frequency_penalty: Json,
    /// As it was given, or 0.
    pub top_logprobs: u32,
    /// As it was given, or 1.
    pub temperature: Json,
    /// Effort and summary.
    pub reasoning: Option<Json>,
    /// Tokens used; none while it is worked on.
    pub usage: Option<ResponseUsage>,
    /// As it was given.
    pub max_output_tokens: Option<u32>,
    /// As it was given.
    pub max_tool_calls: Option<u32>,
    /// Whether it can be asked for later.
    pub store: bool,
    /// Whether nobody waits for it.
    pub background: bool,
    /// Always `default`.
    pub service_tier: &'static str,
    /// Pairs of the caller's.
    pub metadata: Json,
    /// As it was given.
    pub safety_identifier: Option<String>,
    /// As it was given.
    pub prompt_cache_key: Option<String>,
    /// The conversation that it is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<Json>,
}

impl Response {
    /// A response that has just begun, with the echo of its request.
    pub fn begun(id: String, created_at: i64, agent: &str, note: &Note) -> Self {
        let number = |given: Option<Thousandths>| given.map_or_else(|| json!(1), |number| json!(number.get()));
        Self {
            id,
            object: "response",
            created_at,
            completed_at: None,
            status: if note.background { ResponseStatus::Queued } else { ResponseStatus::InProgress },
            incomplete_details: None,
            model: note.model.clone().unwrap_or_else(|| agent.to_owned()),
            previous_response_id: note.previous.clone(),
            instructions: note.instructions.clone(),
            output: Vec::new(),
            error: None,
            tools: note.tools.clone(),
            tool_choice: note.tool_choice.clone().unwrap_or_else(|| Json::string("auto")),
            // A conversation that is too long is made shorter unless the request says otherwise.
            truncation: note.truncation.clone().unwrap_or_else(|| "auto".to_owned()),
            parallel_tool_calls: !note.one_call_a_turn,
            text: note.text.clone().unwrap_or_else(|| json!({"format": {"type": "text"}}).into()),
            top_p: number(note.top_p).into(),
            presence_penalty: note.presence_penalty.clone().unwrap_or_else(|| json!(0).into()),
            frequency_penalty: note.frequency_penalty.clone().unwrap_or_else(|| json!(0).into()),
            top_logprobs: note.top_logprobs.unwrap_or(0),
            temperature: number(note.temperature).into(),
            reasoning: note.reasoning.clone(),
            usage: None,
            max_output_tokens: note.max_output_tokens,
            max_tool_calls: note.max_tool_calls,
            store: !note.unstored,
            background: note.background,
            service_tier: "default",
            metadata: note.metadata.clone().unwrap_or_else(|| json!({}).into()),
            safety_identifier: note.safety_identifier.clone(),
            prompt_cache_key: note.prompt_cache_key.clone(),
            conversation: note.conversation.as_ref().map(|id| json!({ "id": id }).into()),
        }
    }

    /// The text of its messages, as clients join it.
    pub fn output_text(&self) -> String {
        let parts = self.output.iter().filter_map(|item| match item {
            OutputItem::Message { content, .. } => Some(content),
            _ => None,
        });
        let texts = parts.flatten().filter_map(|part| match part {
            ContentPart::OutputText { text, .. } => Some(text.as_str()),
            ContentPart::Refusal { .. } => None,
        });
        texts.collect()
    }

    /// As JSON text.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
