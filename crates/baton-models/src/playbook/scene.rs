//! What a rule can know: derived from the messages of one call and nothing else, so that replicas agree.

use baton_ports::{ChatFile, ChatMessage, ModelCall};
use baton_types::{Json, ToolCall};
use std::borrow::Cow;

/// The call, read once.
pub(super) struct Scene<'a> {
    pub(super) call: &'a ModelCall,
    /// The text of the last user message; the answer to a question is one, although it is a result as well.
    pub(super) user: Cow<'a, str>,
    /// What was said before it, by either side.
    pub(super) earlier: Vec<&'a str>,
    /// Its id.
    pub(super) user_id: &'a str,
    /// The files that it carries.
    pub(super) files: &'a [ChatFile],
    /// Answers since the last user message, plus one.
    pub(super) turn: u32,
    /// Results that nobody has reacted to yet, in the order of the messages.
    pub(super) results: Vec<Outcome<'a>>,
    /// Tools called since the last user message.
    pub(super) called: Vec<&'a str>,
    /// Different on every call.
    pub(super) unique: u64,
}

/// One tool result with the call it answers.
pub(super) struct Outcome<'a> {
    pub(super) tool: &'a str,
    pub(super) output: &'a Json,
    pub(super) is_error: bool,
    pub(super) call: Option<&'a ToolCall>,
}

impl<'a> Scene<'a> {
    pub(super) fn new(call: &'a ModelCall, unique: u64) -> Self {
        let last_user = call.messages.iter().rposition(|message| matches!(message, ChatMessage::User { .. }));
        let (mut user, mut user_id, mut files) = match last_user.and_then(|index| call.messages.get(index)) {
            Some(ChatMessage::User { id, text, files }) => {
                (Cow::Borrowed(text.as_str()), id.as_str(), files.as_slice())
            }
            _ => (Cow::Borrowed(""), "", &[][..]),
        };
        let earlier = call.messages.iter().take(last_user.unwrap_or_default()).filter_map(words).collect();
        let since = &call.messages[last_user.map_or(0, |index| index + 1)..];
        let (mut turn, mut called, mut results) = (1, Vec::new(), Vec::new());
        let mut calls: &[ToolCall] = &[];
        for message in since {
            match message {
                ChatMessage::Assistant { calls: made, .. } => {
                    turn += 1;
                    called.extend(made.iter().map(|call| call.name.as_str()));
                    calls = made;
                    results.clear();
                }
                ChatMessage::Tool { call, name, output, is_error, said } => {
                    if let Some(id) = said {
                        (user, user_id, turn) = (Cow::Owned(output.to_plain_text()), id.as_str(), 1);
                        files = &[];
                        called.clear();
                    }
                    results.push(Outcome {
                        tool: name,
                        output,
                        is_error: *is_error,
                        call: calls.iter().find(|made| made.id == *call),
                    });
                }
                ChatMessage::User { .. } => {}
            }
        }
        Self { call, user, earlier, user_id, files, turn, results, called, unique }
    }

    /// The names and types of the files.
    pub(super) fn file_names(&self) -> String {
        let named = |file: &ChatFile| format!("{} ({})", file.name.as_deref().unwrap_or("a file"), file.media_type);
        let names: Vec<String> = self.files.iter().map(named).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }

    /// The names of the tools on offer.
    pub(super) fn tool_names(&self) -> String {
        if self.call.tools.is_empty() {
            return "none".to_owned();
        }
        let names: Vec<&str> = self.call.tools.iter().map(|tool| tool.name.as_str()).collect();
        names.join(", ")
    }
}

/// What somebody said.
fn words(message: &ChatMessage) -> Option<&str> {
    match message {
        ChatMessage::User { text, .. } | ChatMessage::Assistant { text, .. } => Some(text),
        ChatMessage::Tool { .. } => None,
    }
}
