//! What a tool asks while it works.

use super::{
    ask::{Asked, line},
    fields::Form,
    read::Unfit,
};
use crate::screen::{Screen, harmless, one_line};
use baton_types::{AnswerAction, Json};
use baton_wire::api::AskEntry;

/// One question, whichever way it came.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Question {
    /// What is asked.
    pub(crate) message: String,
    /// What kind of answer is wanted.
    pub(crate) wants: Wants,
}

/// What kind of answer is wanted.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wants {
    /// Values.
    Form(Form),
    /// That somebody visits an address.
    Visit(String),
    /// Leave to run a call, with these arguments when they are known.
    Approval(Option<Json>),
}

/// What somebody answered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reply {
    /// Yes, no, or nobody decided.
    pub(crate) action: AnswerAction,
    /// Values, when those were wanted.
    pub(crate) content: Option<Json>,
}

impl From<&AskEntry> for Question {
    fn from(entry: &AskEntry) -> Self {
        let wants = match (&entry.schema, &entry.url) {
            (Some(schema), _) => Wants::Form(Form::of(schema)),
            (None, Some(url)) => Wants::Visit(url.clone()),
            (None, None) => Wants::Approval(None),
        };
        Self { message: entry.message.clone(), wants }
    }
}

impl Reply {
    /// Yes.
    pub(crate) fn yes() -> Self {
        Self { action: AnswerAction::Accept, content: None }
    }

    /// A bare no, or nobody's decision.
    pub(crate) fn of(action: AnswerAction) -> Self {
        Self { action, content: None }
    }
}

impl Question {
    /// Asks at the terminal for what was not given beforehand.
    pub(crate) async fn ask(&self, pairs: &[(String, String)], screen: Screen) -> Result<Reply, Unfit> {
        screen.say(&harmless(&self.message));
        let form = match &self.wants {
            Wants::Form(form) => form,
            Wants::Visit(url) => {
                screen.say(&format!("  visit {}", one_line(url, 2000)));
                return Ok(yes_or_no("Done? [yes/no] ", screen).await);
            }
            Wants::Approval(arguments) => {
                if let Some(arguments) = arguments {
                    screen.say(&format!("  with {}", one_line(arguments.as_str(), 500)));
                }
                return Ok(yes_or_no("Allow it? [yes/no] ", screen).await);
            }
        };
        let given = form.given(None, &own(form, pairs))?;
        Ok(match form.ask_all(given, screen).await {
            Asked::Answered(content) => Reply { action: AnswerAction::Accept, content: Some(content) },
            Asked::Closed => Reply::of(AnswerAction::Cancel),
        })
    }

    /// The reply that values given beforehand make, if they are enough.
    pub(crate) fn filled_by(&self, pairs: &[(String, String)]) -> Result<Option<Reply>, Unfit> {
        let Wants::Form(form) = &self.wants else { return Ok(None) };
        let own = own(form, pairs);
        let given = form.given(None, &own)?;
        if own.is_empty() || !form.missing(&given).is_empty() {
            return Ok(None);
        }
        Ok(Some(Reply { action: AnswerAction::Accept, content: Some(given.whole(form)) }))
    }

    /// The question and its form, for somebody who is not there now.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = vec![harmless(&self.message)];
        match &self.wants {
            Wants::Form(form) => lines.extend(form.lines()),
            Wants::Visit(url) => lines.push(format!("  visit {}", one_line(url, 2000))),
            Wants::Approval(Some(arguments)) => lines.push(format!("  with {}", one_line(arguments.as_str(), 500))),
            Wants::Approval(None) => {}
        }
        lines
    }
}

/// The pairs that a form has fields for.
fn own(form: &Form, pairs: &[(String, String)]) -> Vec<(String, String)> {
    pairs.iter().filter(|(name, _)| form.field(name).is_some()).cloned().collect()
}

async fn yes_or_no(prompt: &str, screen: Screen) -> Reply {
    loop {
        let Some(text) = line(screen, prompt).await else { return Reply::of(AnswerAction::Cancel) };
        match text.to_lowercase().as_str() {
            "yes" | "y" => return Reply::yes(),
            "no" | "n" => return Reply::of(AnswerAction::Decline),
            _ => {}
        }
    }
}
