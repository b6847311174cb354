//! The response object.

use crate::{ContentPart, OutputItem, RequestRecord};
use baton_types::{Json, Thousandths, Usage};
use serde::Serialize;
use serde_json::json;

/// Status of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResponseStatus {
    /// Accepted, not started.
    Queued,
    /// In progress.
    InProgress,
    /// Complete, or waiting for the client.
    Completed,
    /// Ended by an error.
    Failed,
    /// Ended by a limit.
    Incomplete,
    /// Cancelled by the client.
    Cancelled,
}

/// Error of a failed response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResponseError {
    /// The stable code, `BTN-...`.
    pub code: String,
    /// The problem and its remedy.
    pub message: String,
}

/// Reason of an incomplete response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IncompleteDetails {
    /// Short identifier of the reason.
    pub reason: &'static str,
}

/// Token usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ResponseUsage {
    /// Input tokens.
    pub input_tokens: u64,
    /// Details of the input tokens.
    pub input_tokens_details: InputDetails,
    /// Output tokens.
    pub output_tokens: u64,
    /// Details of the output tokens.
    pub output_tokens_details: OutputDetails,
    /// Sum of both.
    pub total_tokens: u64,
}

/// Details of input tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InputDetails {
    /// Tokens read from a cache.
    pub cached_tokens: u64,
    /// Tokens written to a cache.
    pub cache_write_tokens: u64,
}

/// Details of output tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OutputDetails {
    /// Reasoning tokens.
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

/// A response; every member is always present, because strict clients require it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Response {
    /// Its id.
    pub id: String,
    /// Always `response`.
    pub object: &'static str,
    /// Creation time in seconds.
    pub created_at: i64,
    /// Completion time in seconds.
    pub completed_at: Option<i64>,
    /// Current status.
    pub status: ResponseStatus,
    /// Reason if it is incomplete.
    pub incomplete_details: Option<IncompleteDetails>,
    /// The model as named by the client.
    pub model: String,
    /// The response that it continues.
    pub previous_response_id: Option<String>,
    /// Instructions of the request.
    pub instructions: Option<String>,
    /// The output items.
    pub output: Vec<OutputItem>,
    /// Error if it failed.
    pub error: Option<ResponseError>,
    /// Tools of the request.
    pub tools: Vec<Json>,
    /// Value from the request, or `auto`.
    pub tool_choice: Json,
    /// `auto` or `disabled`.
    pub truncation: String,
    /// Whether parallel tool calls are allowed.
    pub parallel_tool_calls: bool,
    /// Text settings with the output format.
    pub text: Json,
    /// Value from the request, or 1.
    pub top_p: Json,
    /// Value from the request, or 0.
    pub presence_penalty: Json,
    /// Value from the request, or 0.
    pub frequency_penalty: Json,
    /// Value from the request, or 0.
    pub top_logprobs: u32,
    /// Value from the request, or 1.
    pub temperature: Json,
    /// Effort and summary.
    pub reasoning: Option<Json>,
    /// Token usage; none while in progress.
    pub usage: Option<ResponseUsage>,
    /// Value from the request.
    pub max_output_tokens: Option<u32>,
    /// Value from the request.
    pub max_tool_calls: Option<u32>,
    /// Whether it can be retrieved later.
    pub store: bool,
    /// Whether it runs in the background.
    pub background: bool,
    /// Always `default`.
    pub service_tier: &'static str,
    /// Metadata pairs of the client.
    pub metadata: Json,
    /// Value from the request.
    pub safety_identifier: Option<String>,
    /// Value from the request.
    pub prompt_cache_key: Option<String>,
    /// The conversation that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<Json>,
}

impl Response {
    /// A new response with the echo of its request.
    pub fn new(id: String, created_at: i64, agent: &str, note: &RequestRecord) -> Self {
        let number = |value: Option<Thousandths>| value.map_or_else(|| json!(1), |number| json!(number.get()));
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
            // By default, a conversation that is too long is compacted.
            truncation: note.truncation.clone().unwrap_or_else(|| "auto".to_owned()),
            parallel_tool_calls: !note.disable_parallel_tool_calls,
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

    /// The concatenated text of its messages.
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
