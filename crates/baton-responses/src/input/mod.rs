//! The items of a request as what was said before and what is to be answered now.

mod conversation;
mod echo;
mod items;

use crate::Refusal;
use baton_types::{Json, Message, Part, Role, TaskId};
use conversation::Conversation;
use serde_json::Value;

/// Characters of an input that is one string.
const MAX_TEXT: usize = 10_485_760;

/// Items of an input: each takes several times its own size until it is answered.
const MAX_ITEMS: usize = 20_000;

/// The input of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    /// What was said before, oldest first.
    pub history: Vec<Turn>,
    /// What is to be answered now.
    pub last: Last,
    /// Words of system and developer messages.
    pub system: Vec<String>,
}

/// One entry of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Something that was said.
    Said(Message),
    /// An item by its id, for the surface to find.
    Reference {
        /// The id.
        id: String,
        /// Where in the request, such as `input[2].id`.
        param: String,
    },
}

/// What is to be answered now: everything after the last item of the agent's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Last {
    /// Words, files, results of calls and answers to questions about calls, all in one; none when the agent had the last
    /// word.
    pub message: Option<Message>,
    /// The calls whose results it carries.
    pub results: Vec<String>,
    /// Answers to questions whether a call may run; also a data part of the message.
    pub approvals: Vec<Approval>,
}

/// The answer to an approval request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// The task that asked, so that the answer is for it even where the request does not go on from its response.
    pub task: TaskId,
    /// The call that waits.
    pub call: String,
    /// Whether it may run.
    pub approve: bool,
    /// Why, in the caller's words.
    pub reason: Option<String>,
}

impl Approval {
    /// The id of the item that asks whether a call may run.
    pub fn request_id(task: &str, call: &str) -> String {
        format!("mcpr_{task}_{call}")
    }

    /// The task and the call that such an id names.
    pub fn parse_request_id(id: &str) -> Option<(&str, &str)> {
        id.strip_prefix("mcpr_").and_then(|rest| rest.split_once('_'))
    }
}

/// Where calls may have been made whose results come now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// In the same input.
    Here,
    /// Also in what the request goes on from.
    Further,
}

impl Input {
    /// Everything in it as messages, in order; what is to be answered now comes last.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        let said = self.history.iter().filter_map(|turn| match turn {
            Turn::Said(message) => Some(message),
            Turn::Reference { .. } => None,
        });
        said.chain(&self.last.message)
    }

    pub(crate) fn check_answerable(&self) -> Result<(), Refusal> {
        match &self.last.message {
            Some(_) => Ok(()),
            None => Err(Refusal::invalid(
                "invalid_value",
                "input",
                "There is nothing to answer: end the input with words of the user, or with results of calls.",
            )),
        }
    }
}

/// Items, such as those of a conversation, with their ids added.
pub fn read_items(items: &Json, fresh: &mut dyn FnMut() -> String) -> Result<(Input, Vec<Json>), Refusal> {
    read_input(Some(&items.to_value()), Reach::Further, false, fresh)
}

/// The input of a request, and its items as they are shown again.
pub(crate) fn read_input(
    input: Option<&Value>,
    reach: Reach,
    shows_images: bool,
    fresh: &mut dyn FnMut() -> String,
) -> Result<(Input, Vec<Json>), Refusal> {
    match input {
        None => Ok((Input::default(), Vec::new())),
        Some(Value::String(text)) if text.len() > MAX_TEXT && text.chars().count() > MAX_TEXT => {
            let detail = format!("'input' must be at most {MAX_TEXT} characters long; send less, or a link to it.");
            Err(Refusal::invalid("string_above_max_length", "input", detail))
        }
        Some(Value::String(text)) => {
            let message = Message::new(fresh().into(), Role::User, vec![Part::text(text)]);
            let item = serde_json::json!({"type": "message", "role": "user", "content": text});
            let echo = echo::with_id(&item, false, fresh);
            let message = (!text.is_empty()).then_some(message);
            Ok((Input { last: Last { message, ..Last::default() }, ..Input::default() }, vec![echo]))
        }
        Some(Value::Array(items)) if items.len() > MAX_ITEMS => {
            let detail = format!(
                "'input' must have at most {MAX_ITEMS} items; send fewer, and go on with previous_response_id or a conversation."
            );
            Err(Refusal::invalid("array_above_max_length", "input", detail))
        }
        Some(Value::Array(items)) => {
            let mut conversation = Conversation::new(reach, fresh);
            for (index, item) in items.iter().enumerate() {
                conversation.item(item, &format!("input[{index}]"))?;
            }
            let input = conversation.finish();
            let echo = items.iter().map(|item| echo::with_id(item, shows_images, fresh)).collect();
            Ok((input, echo))
        }
        Some(_) => Err(Refusal::invalid("invalid_type", "input", "'input' must be a string or a list of items.")),
    }
}
