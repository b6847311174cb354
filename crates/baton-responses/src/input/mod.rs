//! Parsing of input items into history and current input.

mod conversation;
mod echo;
mod items;

use crate::OpenAiError;
use baton_types::{Json, Message, Part, Role, TaskId};
use conversation::ConversationBuilder;
use serde_json::Value;

/// Maximum number of characters of a string input.
const MAX_TEXT: usize = 10_485_760;

/// Maximum number of input items: each takes several times its own size until it is answered.
const MAX_ITEMS: usize = 20_000;

/// The input of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedInput {
    /// The earlier conversation, oldest first.
    pub history: Vec<HistoryEntry>,
    /// The input to answer now.
    pub current: CurrentInput,
    /// Text of system and developer messages.
    pub system: Vec<String>,
}

/// One entry of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HistoryEntry {
    /// A message.
    Message(Message),
    /// A reference to an item by id, resolved by the HTTP surface.
    Reference {
        /// The id.
        id: String,
        /// Location in the request, such as `input[2].id`.
        param: String,
    },
}

/// The input to answer now: everything after the agent's last item.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CurrentInput {
    /// Text, files, tool results and approvals in one message; `None` if the last item is the agent's.
    pub message: Option<Message>,
    /// Ids of the calls whose results it carries.
    pub results: Vec<String>,
    /// Answers to approval requests; also a data part of the message.
    pub approvals: Vec<McpApprovalAnswer>,
}

/// The answer to an approval request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpApprovalAnswer {
    /// The requesting task; the answer is routed to it even if the request does not continue its response.
    pub task: TaskId,
    /// The pending call.
    pub call: String,
    /// Whether the call is approved.
    pub approve: bool,
    /// Reason given by the caller.
    pub reason: Option<String>,
}

impl McpApprovalAnswer {
    /// The id of an approval request item.
    pub fn request_id(task: &str, call: &str) -> String {
        format!("mcpr_{task}_{call}")
    }

    /// The task and the call in such an id.
    pub fn parse_request_id(id: &str) -> Option<(&str, &str)> {
        id.strip_prefix("mcpr_").and_then(|rest| rest.split_once('_'))
    }
}

/// Where the calls of the supplied results are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallScope {
    /// In the same input.
    Input,
    /// Also in the conversation that the request continues.
    Conversation,
}

impl ParsedInput {
    /// All messages in order; the input to answer now is last.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        let history = self.history.iter().filter_map(|turn| match turn {
            HistoryEntry::Message(message) => Some(message),
            HistoryEntry::Reference { .. } => None,
        });
        history.chain(&self.current.message)
    }

    pub(crate) fn check_answerable(&self) -> Result<(), OpenAiError> {
        match &self.current.message {
            Some(_) => Ok(()),
            None => Err(OpenAiError::invalid(
                "invalid_value",
                "input",
                "There is nothing to answer: end the input with a user message or with tool results.",
            )),
        }
    }
}

/// Parses items, such as those of a conversation, and adds missing ids.
pub fn read_items(items: &Json, fresh: &mut dyn FnMut() -> String) -> Result<(ParsedInput, Vec<Json>), OpenAiError> {
    read_input(Some(&items.to_value()), CallScope::Conversation, false, fresh)
}

/// Parses the input of a request; returns it with the echo of its items.
pub(crate) fn read_input(
    input: Option<&Value>,
    reach: CallScope,
    shows_images: bool,
    fresh: &mut dyn FnMut() -> String,
) -> Result<(ParsedInput, Vec<Json>), OpenAiError> {
    match input {
        None => Ok((ParsedInput::default(), Vec::new())),
        Some(Value::String(text)) if text.len() > MAX_TEXT && text.chars().count() > MAX_TEXT => {
            let detail = format!("'input' must be at most {MAX_TEXT} characters long; send less, or a link to it.");
            Err(OpenAiError::invalid("string_above_max_length", "input", detail))
        }
        Some(Value::String(text)) => {
            let message = Message::new(fresh().into(), Role::User, vec![Part::text(text)]);
            let item = serde_json::json!({"type": "message", "role": "user", "content": text});
            let echo = echo::with_id(&item, false, fresh);
            let message = (!text.is_empty()).then_some(message);
            Ok((
                ParsedInput { current: CurrentInput { message, ..CurrentInput::default() }, ..ParsedInput::default() },
                vec![echo],
            ))
        }
        Some(Value::Array(items)) if items.len() > MAX_ITEMS => {
            let detail = format!(
                "'input' must have at most {MAX_ITEMS} items; send fewer, and continue with previous_response_id or a conversation."
            );
            Err(OpenAiError::invalid("array_above_max_length", "input", detail))
        }
        Some(Value::Array(items)) => {
            let mut conversation = ConversationBuilder::new(reach, fresh);
            for (index, item) in items.iter().enumerate() {
                conversation.item(item, &format!("input[{index}]"))?;
            }
            let input = conversation.finish();
            let echo = items.iter().map(|item| echo::with_id(item, shows_images, fresh)).collect();
            Ok((input, echo))
        }
        Some(_) => Err(OpenAiError::invalid("invalid_type", "input", "'input' must be a string or a list of items.")),
    }
}
