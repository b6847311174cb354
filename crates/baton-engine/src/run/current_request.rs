//! Finds the caller's own messages in a history.

use baton_rules::{is_tool_answer, parse_tool_results};
use baton_types::{Message, MessageId, PartContent, Role, ToolResult};

/// The current request: the last caller messages.
pub(super) struct CurrentRequest {
    /// Last message of the request.
    pub(super) message: MessageId,
    /// Text since the last agent message; several messages if the agent was busy.
    pub(super) text: String,
    /// Earlier caller text of the task.
    pub(super) before: String,
    /// Answers to questions of the agent since the request.
    pub(super) answers: String,
}

impl CurrentRequest {
    /// Reads the request from the history of a task.
    pub(super) fn from_history(history: &[Message]) -> Option<Self> {
        let last = last_request_index(history)?;
        let since = history[..last].iter().rposition(|message| message.role == Role::Agent).map_or(0, |at| at + 1);
        let text = |messages: &[Message], counts: fn(&Message) -> bool| {
            let texts: Vec<String> = messages.iter().filter(|message| counts(message)).map(Message::text).collect();
            texts.join("\n")
        };
        Some(Self {
            message: history[last].id.clone(),
            text: text(&history[since..=last], is_request),
            before: text(&history[..since], is_request),
            answers: text(&history[last + 1..], |message| message.role == Role::User),
        })
    }
}

/// Index of the last caller message of the request.
pub(super) fn last_request_index(history: &[Message]) -> Option<usize> {
    history.iter().rposition(is_request)
}

fn is_request(message: &Message) -> bool {
    if message.role != Role::User || is_tool_answer(message) {
        return false;
    }
    let results = parse_tool_results(message).unwrap_or_default();
    is_passed_to_model(&message_text(message, &message.text(), results.is_empty()), &results)
}

/// Whether text that came with results is passed to the model as a caller message. The answer to a question is already
/// its result, and is passed once.
pub(super) fn is_passed_to_model(text: &str, results: &[ToolResult]) -> bool {
    let is_answered = results.iter().any(|result| result_equals_text(result, text));
    !is_answered && (!text.is_empty() || results.is_empty())
}

/// Whether a result equals the text that came with it.
pub(super) fn result_equals_text(result: &ToolResult, text: &str) -> bool {
    !text.is_empty() && result.output.to_plain_text() == text
}

/// The text of a message and its other content.
pub(super) fn message_text(message: &Message, plain_text: &str, with_data: bool) -> String {
    let mut text = plain_text.to_owned();
    for part in &message.parts {
        let more = match &part.content {
            PartContent::Data(data) if with_data => data.as_str().to_owned(),
            PartContent::Url(url) => url.clone(),
            PartContent::Raw(_) => format!("[file {}]", part.filename.as_deref().unwrap_or("without a name")),
            PartContent::Text(_) | PartContent::Data(_) => continue,
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&more);
    }
    text
}
