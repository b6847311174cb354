//! Input of the rules, derived only from the messages of one call, so that all replicas agree.

use baton_ports::{ChatFile, ChatMessage, ModelCall};
use baton_types::{Json, ToolCall};
use std::borrow::Cow;

/// The parsed call.
pub(super) struct PlaybookInput<'a> {
    pub(super) call: &'a ModelCall,
    /// Text of the last user message; the user's answer to a tool's question counts as one, although it is also a tool
    /// result.
    pub(super) user: Cow<'a, str>,
    /// Earlier texts of the user and the assistant.
    pub(super) earlier: Vec<&'a str>,
    /// Id of the last user message.
    pub(super) user_id: &'a str,
    /// Files of the last user message.
    pub(super) files: &'a [ChatFile],
    /// Number of answers since the last user message, plus one.
    pub(super) turn: u32,
    /// Tool results since the last answer, in message order.
    pub(super) results: Vec<RuleToolResult<'a>>,
    /// Tools called since the last user message.
    pub(super) called: Vec<&'a str>,
    /// Unique number of this call.
    pub(super) unique: u64,
}

/// One tool result with its call.
pub(super) struct RuleToolResult<'a> {
    pub(super) tool: &'a str,
    pub(super) output: &'a Json,
    pub(super) is_error: bool,
    pub(super) call: Option<&'a ToolCall>,
}

impl<'a> PlaybookInput<'a> {
    pub(super) fn new(call: &'a ModelCall, unique: u64) -> Self {
        let last_user = call.messages.iter().rposition(|message| matches!(message, ChatMessage::User { .. }));
        let (mut user, mut user_id, mut files) = match last_user.and_then(|index| call.messages.get(index)) {
            Some(ChatMessage::User { id, text, files }) => {
                (Cow::Borrowed(text.as_str()), id.as_str(), files.as_slice())
            }
            _ => (Cow::Borrowed(""), "", &[][..]),
        };
        let earlier = call.messages.iter().take(last_user.unwrap_or_default()).filter_map(message_text).collect();
        let since = &call.messages[last_user.map_or(0, |index| index + 1)..];
        let (mut turn, mut called, mut results) = (1, Vec::new(), Vec::new());
        let mut calls: &[ToolCall] = &[];
        for message in since {
            match message {
                ChatMessage::Assistant { calls: new_calls, .. } => {
                    turn += 1;
                    called.extend(new_calls.iter().map(|call| call.name.as_str()));
                    calls = new_calls;
                    results.clear();
                }
                ChatMessage::Tool { call, name, output, is_error, answer_message } => {
                    if let Some(id) = answer_message {
                        (user, user_id, turn) = (Cow::Owned(output.to_plain_text()), id.as_str(), 1);
                        files = &[];
                        called.clear();
                    }
                    results.push(RuleToolResult {
                        tool: name,
                        output,
                        is_error: *is_error,
                        call: calls.iter().find(|candidate| candidate.id == *call),
                    });
                }
                ChatMessage::User { .. } => {}
            }
        }
        Self { call, user, earlier, user_id, files, turn, results, called, unique }
    }

    /// Names and types of the files.
    pub(super) fn file_names(&self) -> String {
        let named = |file: &ChatFile| format!("{} ({})", file.name.as_deref().unwrap_or("a file"), file.media_type);
        let names: Vec<String> = self.files.iter().map(named).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }

    /// Names of the available tools.
    pub(super) fn tool_names(&self) -> String {
        if self.call.tools.is_empty() {
            return "none".to_owned();
        }
        let names: Vec<&str> = self.call.tools.iter().map(|tool| tool.name.as_str()).collect();
        names.join(", ")
    }
}

/// Text of a user or assistant message.
fn message_text(message: &ChatMessage) -> Option<&str> {
    match message {
        ChatMessage::User { text, .. } | ChatMessage::Assistant { text, .. } => Some(text),
        ChatMessage::Tool { .. } => None,
    }
}
