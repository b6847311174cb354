//! Visibility of a task to callers: everything, or only the final result of an autonomous task.
//!
//! Task views, streams, notifications, transcripts and the memory of later tasks use these functions. The journal and
//! the spans contain everything.

use crate::{TaskRecord, parse_tool_calls, session_history::part_results};
use baton_types::{Message, PartContent, Role, SessionEntry, TaskEvent};

/// Whether an event is visible to callers. For an autonomous task these are its start, artifacts, answers and end.
pub fn is_visible_to_caller(autonomous: bool, event: &TaskEvent) -> bool {
    let is_inner =
        matches!(event, TaskEvent::ToolsCalled { .. } | TaskEvent::ToolFinished { .. } | TaskEvent::HandoffSent { .. });
    event.is_visible() && !(autonomous && is_inner)
}

impl TaskRecord {
    /// History as visible to callers.
    pub fn visible_history(&self) -> Vec<Message> {
        match self.autonomous {
            true => self.history.iter().filter_map(visible_message).collect(),
            false => self.history.clone(),
        }
    }

    /// History for the model: all of it, or for an autonomous task the part since its last answer.
    pub fn model_history(&self) -> &[Message] {
        let answers = |message: &Message| message.role == Role::Agent && parse_tool_calls(message).is_empty();
        match self.history.iter().rposition(answers) {
            Some(last) if self.autonomous => &self.history[last + 1..],
            _ => &self.history,
        }
    }
}

/// Visible transcript entry of an autonomous task.
pub(crate) fn visible_entry(entry: SessionEntry) -> Option<SessionEntry> {
    let message = if entry.notice { entry.message } else { visible_message(&entry.message)? };
    Some(SessionEntry { message, request: None, ..entry })
}

/// Message of an autonomous task without tool calls and results; none if nothing remains. Text next to tool calls is
/// not a result yet.
fn visible_message(message: &Message) -> Option<Message> {
    if message.role == Role::Agent {
        return parse_tool_calls(message).is_empty().then(|| message.clone());
    }
    let mut visible = message.clone();
    visible.parts.retain(|part| part_results(part).is_none());
    let is_empty = |content: &PartContent| matches!(content, PartContent::Text(text) if text.is_empty());
    let has_content = visible.parts.iter().any(|part| !is_empty(&part.content));
    (has_content || visible.parts.len() == message.parts.len()).then_some(visible)
}
