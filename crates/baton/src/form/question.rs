//! What a tool asks while it works.

use super::{
    ask::{Asked, line},
    fields::Form,
    read::Unfit,
};
use crate::screen::{Screen, harmless, one_line};
use baton_types::{AnswerAction, Json};
use baton_wire::api::AskEntry;

/// Most characters of a call's arguments; what is longer is said to be.
const LONGEST: usize = 4000;

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
    /// Leave to run a call.
    Approval(Leave),
    /// Words.
    Words,
}

/// What is known of a call that needs leave.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Leave {
    /// What it is called with.
    pub(crate) arguments: Option<Json>,
    /// Who asks, when that is not the agent that was spoken to.
    pub(crate) asker: Option<String>,
    /// Whether leave can be given for the rest of the session.
    pub(crate) for_session: bool,
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
            (None, None) => Wants::Approval(Leave::default()),
        };
        Self { message: entry.message.clone(), wants }
    }
}

impl Reply {
    /// Yes.
    pub(crate) fn yes() -> Self {
        Self { action: AnswerAction::Accept, content: None }
    }

    /// Words.
    pub(crate) fn words(words: &str) -> Self {
        Self { action: AnswerAction::Accept, content: Some(serde_json::json!({ "text": words }).into()) }
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
                return Ok(decided("Done? [yes/no] ", false, screen).await);
            }
            Wants::Approval(leave) => {
                for line in leave.lines() {
                    screen.say(&line);
                }
                return Ok(match leave.for_session {
                    true => decided("Allow it? [y: once, a: always in this session, n: no] ", true, screen).await,
                    false => decided("Allow it? [yes/no] ", false, screen).await,
                });
            }
            Wants::Words => {
                let words = line(screen, "> ").await.filter(|words| !words.is_empty());
                return Ok(words.map_or_else(|| Reply::of(AnswerAction::Cancel), |words| Reply::words(&words)));
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
            Wants::Approval(leave) => lines.extend(leave.lines()),
            Wants::Words => {}
        }
        lines
    }
}

/// The pairs that a form has fields for.
fn own(form: &Form, pairs: &[(String, String)]) -> Vec<(String, String)> {
    pairs.iter().filter(|(name, _)| form.field(name).is_some()).cloned().collect()
}

impl Leave {
    fn lines(&self) -> Vec<String> {
        let asker = self.asker.iter().map(|agent| format!("  asked by {}", one_line(agent, 80)));
        let arguments =
            self.arguments.iter().map(|arguments| format!("  with {}", visible(arguments.as_str(), LONGEST)));
        asker.chain(arguments).collect()
    }
}

/// Somebody else's text on one line of at most `most` characters, with nothing in it that cannot be seen: who allows a
/// call must know what it does.
pub(crate) fn visible(text: &str, most: usize) -> String {
    let mut line = String::new();
    for c in text.chars().take(most) {
        match c {
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => {
                line.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c if c.is_control() => line.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => line.push(c),
        }
    }
    let more = text.chars().count().saturating_sub(most);
    if more > 0 {
        line.push_str(&format!("… and {more} characters more"));
    }
    line
}

async fn decided(prompt: &str, for_session: bool, screen: Screen) -> Reply {
    loop {
        let Some(text) = line(screen, prompt).await else { return Reply::of(AnswerAction::Cancel) };
        match text.to_lowercase().as_str() {
            "yes" | "y" | "once" => return Reply::yes(),
            "always" | "a" if for_session => return Reply::of(AnswerAction::AcceptForSession),
            "no" | "n" => return Reply::of(AnswerAction::Decline),
            _ => {}
        }
    }
}
