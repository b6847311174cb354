//! What callers see of a task: all that is said and done in it, or, of an autonomous one, its final result.
//!
//! Task views, streams, notifications, transcripts and what later tasks of a conversation remember all ask here. The
//! journal and the spans keep everything.

use crate::{Task, calls_in, session_history::results_of};
use baton_types::{Message, PartContent, Role, SessionEntry, TaskEvent};

/// Whether callers see that an event happened. Of an autonomous task they see that it began, what it published, what it
/// answered and how it ended.
pub fn is_seen(autonomous: bool, event: &TaskEvent) -> bool {
    let is_inner =
        matches!(event, TaskEvent::ToolsCalled { .. } | TaskEvent::ToolFinished { .. } | TaskEvent::HandoffSent { .. });
    event.is_shown() && !(autonomous && is_inner)
}

impl Task {
    /// The history as callers see it.
    pub fn seen_history(&self) -> Vec<Message> {
        match self.autonomous {
            true => self.history.iter().filter_map(seen_message).collect(),
            false => self.history.clone(),
        }
    }

    /// What the model is given of the history: all of it, or, of an autonomous task, what came since its last answer.
    pub fn remembered(&self) -> &[Message] {
        let answers = |message: &Message| message.role == Role::Agent && calls_in(message).is_empty();
        match self.history.iter().rposition(answers) {
            Some(last) if self.autonomous => &self.history[last + 1..],
            _ => &self.history,
        }
    }
}

/// An entry of the transcript of an autonomous task.
pub(crate) fn seen_entry(entry: SessionEntry) -> Option<SessionEntry> {
    let message = if entry.notice { entry.message } else { seen_message(&entry.message)? };
    Some(SessionEntry { message, request: None, ..entry })
}

/// A message of an autonomous task without tool calls and results, if anything else is in it. What the model says beside
/// calls is no result yet.
fn seen_message(message: &Message) -> Option<Message> {
    if message.role == Role::Agent {
        return calls_in(message).is_empty().then(|| message.clone());
    }
    let mut seen = message.clone();
    seen.parts.retain(|part| results_of(part).is_none());
    let is_empty = |content: &PartContent| matches!(content, PartContent::Text(text) if text.is_empty());
    let says = seen.parts.iter().any(|part| !is_empty(&part.content));
    (says || seen.parts.len() == message.parts.len()).then_some(seen)
}
