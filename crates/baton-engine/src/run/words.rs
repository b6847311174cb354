//! The caller's own words among all that is in a history.

use baton_rules::{answers_tools, results_in};
use baton_types::{Message, MessageId, PartContent, Role, ToolResult};

/// The caller's last words: what the model is asked now.
pub(super) struct Asked {
    /// The last message of them.
    pub(super) message: MessageId,
    /// What was said since the agent last spoke; more than one message when the agent was busy.
    pub(super) text: String,
    /// What was said before that in the same task.
    pub(super) before: String,
    /// What questions of the agent were answered with since.
    pub(super) answers: String,
}

impl Asked {
    /// Reads it from the history of a task.
    pub(super) fn of(history: &[Message]) -> Option<Self> {
        let last = last_words(history)?;
        let since = history[..last].iter().rposition(|message| message.role == Role::Agent).map_or(0, |at| at + 1);
        let text = |messages: &[Message], counts: fn(&Message) -> bool| {
            let said: Vec<String> = messages.iter().filter(|message| counts(message)).map(Message::text).collect();
            said.join("\n")
        };
        Some(Self {
            message: history[last].id.clone(),
            text: text(&history[since..=last], is_words),
            before: text(&history[..since], is_words),
            answers: text(&history[last + 1..], |message| message.role == Role::User),
        })
    }
}

/// Where the caller's last words stand.
pub(super) fn last_words(history: &[Message]) -> Option<usize> {
    history.iter().rposition(is_words)
}

fn is_words(message: &Message) -> bool {
    if message.role != Role::User || answers_tools(message) {
        return false;
    }
    let results = results_in(message).unwrap_or_default();
    are_heard(&text_of(message, &message.text(), results.is_empty()), &results)
}

/// Whether the model hears what came with results as words of the caller. The answer to a question is its result already,
/// and the model hears it once.
pub(super) fn are_heard(words: &str, results: &[ToolResult]) -> bool {
    let told = results.iter().any(|result| is_told(result, words));
    !told && (!words.is_empty() || results.is_empty())
}

/// Whether a result says just the words that came with it.
pub(super) fn is_told(result: &ToolResult, words: &str) -> bool {
    !words.is_empty() && result.output.to_plain_text() == words
}

/// The words of a message, and what else it carries.
pub(super) fn text_of(message: &Message, words: &str, with_data: bool) -> String {
    let mut text = words.to_owned();
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
