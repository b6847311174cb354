//! Whole answers.

use super::resumption::MARK;
use crate::{Approval, ContentPart, OutputItem, Refusal, Response, ResponseUsage, SummaryPart};
use serde::Serialize;

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Completion {
    /// `chatcmpl-` and the id of the response.
    pub id: String,
    /// Always `chat.completion`.
    pub object: &'static str,
    /// When it began, in seconds.
    pub created: i64,
    /// Who answers, as the caller asked for it.
    pub model: String,
    /// Always one.
    pub choices: Vec<Choice>,
    /// Tokens used.
    pub usage: CompletionUsage,
    /// Always `default`.
    pub service_tier: &'static str,
}

/// The one answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// Always 0.
    pub index: u32,
    /// What is said.
    pub message: Reply,
    /// Always none.
    pub logprobs: Option<()>,
    /// `stop`, `length`, `tool_calls` or `content_filter`.
    pub finish_reason: &'static str,
}

/// What is said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reply {
    /// Always `assistant`.
    pub role: &'static str,
    /// The text.
    pub content: Option<String>,
    /// What the model thought, in the form that other compatible servers give it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_content: Option<String>,
    /// Why there is no answer.
    pub refusal: Option<String>,
    /// Always none.
    pub annotations: [(); 0],
    /// Calls for the caller to run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCallOut>,
}

/// A call for the caller to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolCallOut {
    /// What the result names.
    pub id: String,
    /// Always `function`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The call.
    pub function: FunctionOut,
}

/// The function and its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FunctionOut {
    /// The function.
    pub name: String,
    /// JSON as text.
    pub arguments: String,
}

/// Tokens used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CompletionUsage {
    /// Tokens read.
    pub prompt_tokens: u64,
    /// Tokens written.
    pub completion_tokens: u64,
    /// Both together.
    pub total_tokens: u64,
    /// More about tokens read.
    pub prompt_tokens_details: PromptDetails,
    /// More about tokens written.
    pub completion_tokens_details: CompletionDetails,
}

/// More about tokens read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PromptDetails {
    /// Those from a cache.
    pub cached_tokens: u64,
}

/// More about tokens written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CompletionDetails {
    /// Those of reasoning.
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
    /// A response that is over in the older form; one that failed is an error there.
    pub fn of(response: &Response) -> Result<Self, Refusal> {
        if let Some(error) = &response.error {
            return Err(Refusal {
                status: 500,
                kind: "server_error",
                code: Some(error.code.clone()),
                param: None,
                message: error.message.clone(),
            });
        }
        let (mut texts, mut thoughts, mut refusal, mut tool_calls) = (Vec::new(), Vec::new(), None, Vec::new());
        for item in &response.output {
            tool_calls.extend(call_of(item));
            thoughts.extend(thought_of(item));
            let OutputItem::Message { content, .. } = item else {
                texts.extend(question(item));
                continue;
            };
            for part in content {
                match part {
                    ContentPart::OutputText { text, .. } => texts.push(text.clone()),
                    ContentPart::Refusal { refusal: words } => refusal = Some(words.clone()),
                }
            }
        }
        texts.retain(|text| !text.is_empty());
        let content = texts.join("\n\n");
        let is_silent = content.is_empty() && (!tool_calls.is_empty() || refusal.is_some());
        let finish_reason = finish_reason(response);
        let content = (!is_silent).then_some(content);
        let reasoning_content = (!thoughts.is_empty()).then(|| thoughts.join("\n\n"));
        let message = Reply { role: "assistant", content, reasoning_content, refusal, annotations: [], tool_calls };
        Ok(Self {
            id: completion_id(response),
            object: "chat.completion",
            created: response.created_at,
            model: response.model.clone(),
            choices: vec![Choice { index: 0, message, logprobs: None, finish_reason }],
            usage: response.usage.unwrap_or_default().into(),
            service_tier: response.service_tier,
        })
    }
}

/// What a completion is called.
pub(super) fn completion_id(response: &Response) -> String {
    format!("chatcmpl-{}", response.id)
}

/// Why a response is over, in the words of the older dialect.
pub(super) fn finish_reason(response: &Response) -> &'static str {
    match &response.incomplete_details {
        Some(details) if details.reason == "content_filter" => "content_filter",
        Some(_) => "length",
        None if response.output.iter().any(|item| call_of(item).is_some()) => "tool_calls",
        None => "stop",
    }
}

/// What the model thought, when the item says so.
fn thought_of(item: &OutputItem) -> Option<String> {
    let OutputItem::Reasoning { summary, .. } = item else { return None };
    let texts: Vec<&str> = summary.iter().map(|SummaryPart::SummaryText { text }| text.as_str()).collect();
    Some(texts.concat()).filter(|text| !text.is_empty())
}

/// A call that the caller is to run.
pub(super) fn call_of(item: &OutputItem) -> Option<ToolCallOut> {
    let (id, name, arguments) = match item {
        OutputItem::FunctionCall { call_id, name, arguments, .. } => (call_id, name, arguments),
        OutputItem::CustomToolCall { call_id, name, input, .. } => (call_id, name, input),
        _ => return None,
    };
    let function = FunctionOut { name: name.clone(), arguments: arguments.clone() };
    Some(ToolCallOut { id: id.clone(), kind: "function", function })
}

/// The question whether a call may run, in words: the older dialect has no other form for it.
pub(super) fn question(item: &OutputItem) -> Option<String> {
    match item {
        OutputItem::McpApprovalRequest { id, name, arguments, .. } => {
            let (task, _) = Approval::parse_request_id(id).unwrap_or_default();
            Some(format!("May the tool '{name}' run with {arguments}? Answer yes or no.{MARK}{task})"))
        }
        _ => None,
    }
}
