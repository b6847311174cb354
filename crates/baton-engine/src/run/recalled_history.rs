//! The conversation as given to a model: first message, summary, and the rest in pieces that are never split.

use super::conversation::{HistoryFormat, conversation};
use baton_ports::ChatMessage;
use baton_rules::{is_tool_answer, parse_tool_calls, parse_tool_results};
use baton_types::{CallId, Compaction, Message, MessageId, Role};

/// A caller message, or an agent message with its calls and their results.
pub(super) struct HistoryPiece {
    /// Chat messages of the piece.
    pub(super) chat: Vec<ChatMessage>,
    /// Last history message of the piece.
    pub(super) through: MessageId,
    /// Whether the piece starts with a caller message.
    pub(super) is_user: bool,
}

/// A conversation ready for a model call.
pub(super) struct RecalledHistory {
    /// First caller message, if it is not among the pieces.
    pub(super) first: Option<ChatMessage>,
    /// Summary of the older part.
    pub(super) summary: Option<ChatMessage>,
    /// Last caller message, if it is not among the pieces.
    pub(super) last: Option<ChatMessage>,
    /// Remaining history.
    pub(super) pieces: Vec<HistoryPiece>,
}

impl RecalledHistory {
    /// Builds the conversation with a compaction applied.
    pub(super) fn from_history(
        history: &[&Message],
        compaction: Option<&Compaction>,
        format: &HistoryFormat<'_>,
    ) -> Self {
        let Some((compaction, through)) = compaction.and_then(|of| of.through.as_ref().map(|through| (of, through)))
        else {
            return Self { first: None, summary: None, last: None, pieces: pieces(history, format) };
        };
        // If the covered message was deleted, it is older than all remaining messages.
        let cut = history.iter().rposition(|message| message.id == *through).map_or(0, |at| at + 1);
        let (older, newer) = history.split_at(cut);
        let pieces = pieces(newer, format);
        let find_user_message = |id: &MessageId| {
            let message = older.iter().find(|message| message.id == *id && message.role == Role::User)?;
            conversation([*message], format).into_iter().find(|chat| matches!(chat, ChatMessage::User { .. }))
        };
        let has_user_message =
            pieces.iter().flat_map(|piece| &piece.chat).any(|chat| matches!(chat, ChatMessage::User { .. }));
        let is_caller_message = |message: &&&Message| message.role == Role::User && is_plain_message(message);
        let last_request =
            if has_user_message { None } else { older.iter().rev().find(is_caller_message).map(|message| &message.id) };
        let first = compaction.first.as_ref();
        let last = last_request.and_then(find_user_message);
        let first = first.filter(|first| last.is_none() || Some(&first.message) != last_request).map(|first| {
            let files = match find_user_message(&first.message) {
                Some(ChatMessage::User { files, .. }) => files,
                _ => Vec::new(),
            };
            ChatMessage::User { id: first.message.clone(), text: first.text.clone(), files }
        });
        let summary = summary_message(&compaction.summary);
        Self { first, summary, last, pieces }
    }

    /// Chat messages in order.
    pub(super) fn into_chat(self) -> Vec<ChatMessage> {
        let before = self.first.into_iter().chain(self.summary).chain(self.last);
        before.chain(self.pieces.into_iter().flat_map(|piece| piece.chat)).collect()
    }

    /// Borrowed chat messages in order.
    pub(super) fn messages(&self) -> impl Iterator<Item = &ChatMessage> {
        let before = self.first.iter().chain(&self.summary).chain(&self.last);
        before.chain(self.pieces.iter().flat_map(|piece| &piece.chat))
    }

    /// Calls with results among the messages.
    pub(super) fn results(&self) -> impl Iterator<Item = &CallId> {
        self.messages().filter_map(|message| match message {
            ChatMessage::Tool { call, .. } => Some(call),
            _ => None,
        })
    }
}

/// The summary as a chat message.
fn summary_message(summary: &str) -> Option<ChatMessage> {
    if summary.is_empty() {
        return None;
    }
    let text = format!("[What was said since then, in short]\n{summary}");
    Some(ChatMessage::User { id: "summary".into(), text, files: Vec::new() })
}

/// Splits a history at safe points: before an agent message, and before a caller message once every call has its
/// result.
fn pieces(history: &[&Message], format: &HistoryFormat<'_>) -> Vec<HistoryPiece> {
    let mut pieces = Vec::new();
    let (mut start, mut open): (usize, Vec<CallId>) = (0, Vec::new());
    let mut close = |from: usize, to: usize| {
        if let Some(last) = history[from..to].last() {
            let chat = conversation(history[from..to].iter().copied(), format);
            pieces.push(HistoryPiece { chat, through: last.id.clone(), is_user: history[from].role == Role::User });
        }
    };
    for (at, message) in history.iter().enumerate() {
        let begins = match message.role {
            Role::Agent => true,
            Role::User => open.is_empty() && is_plain_message(message),
        };
        if begins {
            close(start, at);
            start = at;
        }
        match message.role {
            Role::Agent => open = parse_tool_calls(message).into_iter().map(|call| call.id).collect(),
            Role::User => {
                let results = parse_tool_results(message).unwrap_or_default();
                open.retain(|call| !results.iter().any(|result| result.call == *call));
            }
        }
    }
    close(start, history.len());
    pieces
}

/// Whether a caller message contains no tool results or answers.
fn is_plain_message(message: &Message) -> bool {
    !is_tool_answer(message) && parse_tool_results(message).is_ok_and(|results| results.is_empty())
}
