//! Complete chat completions.

use super::resumption::APPROVAL_MARK;
use crate::{ContentPart, McpApprovalAnswer, OpenAiError, OutputItem, Response, ResponseUsage, SummaryPart};
use serde::Serialize;

/// A chat completion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Completion {
    /// `chatcmpl-` and the id of the response.
    pub id: String,
    /// Always `chat.completion`.
    pub object: &'static str,
    /// Creation time in seconds.
    pub created: i64,
    /// The model as named by the client.
    pub model: String,
    /// Always one choice.
    pub choices: Vec<CompletionChoice>,
    /// Token usage.
    pub usage: CompletionUsage,
    /// Always `default`.
    pub service_tier: &'static str,
}

/// The choice of a completion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompletionChoice {
    /// Always 0.
    pub index: u32,
    /// The message.
    pub message: CompletionMessage,
    /// Always null.
    pub logprobs: Option<()>,
    /// `stop`, `length`, `tool_calls` or `content_filter`.
    pub finish_reason: &'static str,
}

/// The message of a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompletionMessage {
    /// Always `assistant`.
    pub role: &'static str,
    /// The text.
    pub content: Option<String>,
    /// Reasoning of the model, in the format of other compatible servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_content: Option<String>,
    /// Text of a refusal.
    pub refusal: Option<String>,
    /// Always empty.
    pub annotations: [(); 0],
    /// Calls for the client to run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<CompletionToolCall>,
}

/// A call for the client to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompletionToolCall {
    /// Call id, repeated by the result.
    pub id: String,
    /// Always `function`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The call.
    pub function: CompletionFunction,
}

/// The function and its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CompletionFunction {
    /// Name of the function.
    pub name: String,
    /// Arguments as JSON text.
    pub arguments: String,
}

/// Token usage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CompletionUsage {
    /// Input tokens.
    pub prompt_tokens: u64,
    /// Output tokens.
    pub completion_tokens: u64,
    /// Sum of both.
    pub total_tokens: u64,
    /// Details of the input tokens.
    pub prompt_tokens_details: PromptDetails,
    /// Details of the output tokens.
    pub completion_tokens_details: CompletionDetails,
}

/// Details of input tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PromptDetails {
    /// Tokens read from a cache.
    pub cached_tokens: u64,
}

/// Details of output tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CompletionDetails {
    /// Reasoning tokens.
    pub reasoning_tokens: u64,
}

impl From<ResponseUsage> for CompletionUsage {
    fn from(usage: ResponseUsage) -> Self {
        Self {
            prompt_tokens: usage.input_tokens,
            completion_tokens: usage.output_tokens,
            total_tokens: usage.total_tokens,
            prompt_tokens_details: PromptDetails { cached_tokens: usage.input_tokens_details.cached_tokens },
            completion_tokens_details: CompletionDetails {
                reasoning_tokens: usage.output_tokens_details.reasoning_tokens,
            },
        }
    }
}

impl Completion {
    /// Converts a finished response; a failed one becomes an error.
    pub fn from_response(response: &Response) -> Result<Self, OpenAiError> {
        if let Some(error) = &response.error {
            return Err(OpenAiError {
                status: 500,
                kind: "server_error",
                code: Some(error.code.clone()),
                param: None,
                message: error.message.clone(),
            });
        }
        let (mut texts, mut thoughts, mut refusal, mut tool_calls) = (Vec::new(), Vec::new(), None, Vec::new());
        for item in &response.output {
            tool_calls.extend(client_tool_call(item));
            thoughts.extend(reasoning_text(item));
            let OutputItem::Message { content, .. } = item else {
                texts.extend(approval_question(item));
                continue;
            };
            for part in content {
                match part {
                    ContentPart::OutputText { text, .. } => texts.push(text.clone()),
                    ContentPart::Refusal { refusal: text } => refusal = Some(text.clone()),
                }
            }
        }
        texts.retain(|text| !text.is_empty());
        let content = texts.join("\n\n");
        let is_silent = content.is_empty() && (!tool_calls.is_empty() || refusal.is_some());
        let finish_reason = finish_reason(response);
        let content = (!is_silent).then_some(content);
        let reasoning_content = (!thoughts.is_empty()).then(|| thoughts.join("\n\n"));
        let message =
            CompletionMessage { role: "assistant", content, reasoning_content, refusal, annotations: [], tool_calls };
        Ok(Self {
            id: completion_id(response),
            object: "chat.completion",
            created: response.created_at,
            model: response.model.clone(),
            choices: vec![CompletionChoice { index: 0, message, logprobs: None, finish_reason }],
            usage: response.usage.unwrap_or_default().into(),
            service_tier: response.service_tier,
        })
    }
}

/// The id of a completion.
pub(super) fn completion_id(response: &Response) -> String {
    format!("chatcmpl-{}", response.id)
}

/// The finish reason of a response, as named in chat completions.
pub(super) fn finish_reason(response: &Response) -> &'static str {
    match &response.incomplete_details {
        Some(details) if details.reason == "content_filter" => "content_filter",
        Some(_) => "length",
        None if response.output.iter().any(|item| client_tool_call(item).is_some()) => "tool_calls",
        None => "stop",
    }
}

/// The reasoning text of an item.
fn reasoning_text(item: &OutputItem) -> Option<String> {
    let OutputItem::Reasoning { summary, .. } = item else { return None };
    let texts: Vec<&str> = summary.iter().map(|SummaryPart::SummaryText { text }| text.as_str()).collect();
    Some(texts.concat()).filter(|text| !text.is_empty())
}

/// The client tool call of an item.
pub(super) fn client_tool_call(item: &OutputItem) -> Option<CompletionToolCall> {
    let (id, name, arguments) = match item {
        OutputItem::FunctionCall { call_id, name, arguments, .. } => (call_id, name, arguments),
        OutputItem::CustomToolCall { call_id, name, input, .. } => (call_id, name, input),
        _ => return None,
    };
    let function = CompletionFunction { name: name.clone(), arguments: arguments.clone() };
    Some(CompletionToolCall { id: id.clone(), kind: "function", function })
}

/// The approval request of an item as text: chat completions have no other representation.
pub(super) fn approval_question(item: &OutputItem) -> Option<String> {
    match item {
        OutputItem::McpApprovalRequest { id, name, arguments, .. } => {
            let (task, _) = McpApprovalAnswer::parse_request_id(id).unwrap_or_default();
            Some(format!("May the tool '{name}' run with {arguments}? Answer yes or no.{APPROVAL_MARK}{task})"))
        }
        _ => None,
    }
}
