//! Questions of tools during a call.

use super::{
    fields::InputForm,
    prompt::{PromptResult, read_line},
    read::FormValueError,
};
use crate::screen::{Screen, escape_for_terminal, one_line};
use baton_api::QuestionEntry;
use baton_types::{AnswerAction, Json};

/// Maximum characters shown of call arguments.
const MAX_ARGUMENT_CHARS: usize = 4000;

/// A question, from a task stream or the API.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InputQuestion {
    pub(crate) message: String,
    pub(crate) answer_kind: AnswerKind,
}

/// Kind of answer that is expected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AnswerKind {
    /// Values of a form.
    Form(InputForm),
    /// Confirmation that the user visited a URL.
    Visit(String),
    /// Approval of a call.
    Approval(ApprovalDetails),
    /// Free text.
    Text,
}

/// A call that needs approval.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ApprovalDetails {
    pub(crate) arguments: Option<Json>,
    /// Agent that asks, if it is not the one that was called.
    pub(crate) asker: Option<String>,
    /// Whether the approval can be given for the rest of the session.
    pub(crate) for_session: bool,
}

/// The user's answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct InputReply {
    pub(crate) action: AnswerAction,
    /// Form values or text.
    pub(crate) content: Option<Json>,
}

impl From<&QuestionEntry> for InputQuestion {
    fn from(entry: &QuestionEntry) -> Self {
        let wants = match (&entry.schema, &entry.url) {
            (Some(schema), _) => AnswerKind::Form(InputForm::from_schema(schema)),
            (None, Some(url)) => AnswerKind::Visit(url.clone()),
            (None, None) => AnswerKind::Approval(ApprovalDetails::default()),
        };
        Self { message: entry.message.clone(), answer_kind: wants }
    }
}

impl InputReply {
    /// Accepts.
    pub(crate) fn accept() -> Self {
        Self { action: AnswerAction::Accept, content: None }
    }

    /// Accepts with a text.
    pub(crate) fn from_text(text: &str) -> Self {
        Self { action: AnswerAction::Accept, content: Some(serde_json::json!({ "text": text }).into()) }
    }

    /// An action without content.
    pub(crate) fn from_action(action: AnswerAction) -> Self {
        Self { action, content: None }
    }
}

impl InputQuestion {
    /// Prompts in the terminal for values that are not in `pairs`.
    pub(crate) async fn ask(&self, pairs: &[(String, String)], screen: Screen) -> Result<InputReply, FormValueError> {
        screen.print_stderr(&escape_for_terminal(&self.message));
        let form = match &self.answer_kind {
            AnswerKind::Form(form) => form,
            AnswerKind::Visit(url) => {
                screen.print_stderr(&format!("  visit {}", one_line(url, 2000)));
                return Ok(ask_decision("Done? [yes/no] ", false, screen).await);
            }
            AnswerKind::Approval(leave) => {
                for line in leave.lines() {
                    screen.print_stderr(&line);
                }
                return Ok(match leave.for_session {
                    true => ask_decision("Allow it? [y: once, a: always in this session, n: no] ", true, screen).await,
                    false => ask_decision("Allow it? [yes/no] ", false, screen).await,
                });
            }
            AnswerKind::Text => {
                let text = read_line(screen, "> ").await.filter(|text| !text.is_empty());
                return Ok(text.map_or_else(
                    || InputReply::from_action(AnswerAction::Cancel),
                    |text| InputReply::from_text(&text),
                ));
            }
        };
        let values = form.parse_values(None, &matching_pairs(form, pairs))?;
        Ok(match form.ask_all(values, screen).await {
            PromptResult::Answered(content) => InputReply { action: AnswerAction::Accept, content: Some(content) },
            PromptResult::Closed => InputReply::from_action(AnswerAction::Cancel),
        })
    }

    /// The reply from `pairs` alone, if they contain all required values.
    pub(crate) fn reply_from_values(&self, pairs: &[(String, String)]) -> Result<Option<InputReply>, FormValueError> {
        let AnswerKind::Form(form) = &self.answer_kind else { return Ok(None) };
        let own = matching_pairs(form, pairs);
        let values = form.parse_values(None, &own)?;
        if own.is_empty() || !form.missing(&values).is_empty() {
            return Ok(None);
        }
        Ok(Some(InputReply { action: AnswerAction::Accept, content: Some(values.object_with_defaults(form)) }))
    }

    /// The question and its form as text, for a later answer.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = vec![escape_for_terminal(&self.message)];
        match &self.answer_kind {
            AnswerKind::Form(form) => lines.extend(form.lines()),
            AnswerKind::Visit(url) => lines.push(format!("  visit {}", one_line(url, 2000))),
            AnswerKind::Approval(leave) => lines.extend(leave.lines()),
            AnswerKind::Text => {}
        }
        lines
    }
}

/// The pairs that match fields of a form.
fn matching_pairs(form: &InputForm, pairs: &[(String, String)]) -> Vec<(String, String)> {
    pairs.iter().filter(|(name, _)| form.field(name).is_some()).cloned().collect()
}

impl ApprovalDetails {
    fn lines(&self) -> Vec<String> {
        let asker = self.asker.iter().map(|agent| format!("  asked by {}", one_line(agent, 80)));
        let arguments = self
            .arguments
            .iter()
            .map(|arguments| format!("  with {}", escape_invisible(arguments.as_str(), MAX_ARGUMENT_CHARS)));
        asker.chain(arguments).collect()
    }
}

/// Untrusted text on one line of at most `max_chars` characters, with invisible characters escaped, so that the user
/// sees the full effect of a call before approving it.
pub(crate) fn escape_invisible(text: &str, max_chars: usize) -> String {
    let mut line = String::new();
    for c in text.chars().take(max_chars) {
        match c {
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => {
                line.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c if c.is_control() => line.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => line.push(c),
        }
    }
    let more = text.chars().count().saturating_sub(max_chars);
    if more > 0 {
        line.push_str(&format!("… and {more} more characters"));
    }
    line
}

async fn ask_decision(prompt: &str, for_session: bool, screen: Screen) -> InputReply {
    loop {
        let Some(text) = read_line(screen, prompt).await else { return InputReply::from_action(AnswerAction::Cancel) };
        match text.to_lowercase().as_str() {
            "yes" | "y" | "once" => return InputReply::accept(),
            "always" | "a" if for_session => return InputReply::from_action(AnswerAction::AcceptForSession),
            "no" | "n" => return InputReply::from_action(AnswerAction::Decline),
            _ => {}
        }
    }
}
