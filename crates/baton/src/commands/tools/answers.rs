//! Answers to questions of a tool during a call.

use crate::{
    failure::Failure,
    form::{Question, Reply, someone_is_there},
    screen::Screen,
};
use baton_types::ErrorCode;
use baton_wire::api::{AnswerEntry, AskEntry, ToolReply};
use serde_json::json;

/// Answers from the command line.
#[derive(Clone, Copy)]
pub(super) struct Prepared<'a> {
    pub(super) pairs: &'a [(String, String)],
    pub(super) yes: bool,
}

/// Answers all questions; `None` if the terminal is needed for one but not available.
pub(super) async fn to(
    asks: &[AskEntry],
    prepared: Prepared<'_>,
    screen: Screen,
) -> Result<Option<Vec<AnswerEntry>>, Failure> {
    let mut answers = Vec::with_capacity(asks.len());
    for entry in asks {
        let question = Question::from(entry);
        let unfit = |unfit: crate::form::Unfit| Failure::new(ErrorCode::USAGE, format!("--answer: {}", unfit.0));
        let reply = match question.filled_by(prepared.pairs).map_err(unfit)? {
            Some(reply) => reply,
            None if entry.approval && prepared.yes => Reply::yes(),
            None if someone_is_there(screen) => question.ask(prepared.pairs, screen).await.map_err(unfit)?,
            None => return Ok(None),
        };
        answers.push(AnswerEntry { key: entry.key.clone(), action: reply.action, content: reply.content });
    }
    Ok(Some(answers))
}

/// Prints the questions and the options that answer them.
pub(super) fn print(agent: &str, tool: &str, reply: &ToolReply, screen: Screen) {
    if screen.is_json() {
        screen.print(&json!(reply).to_string());
        return;
    }
    for entry in &reply.asks {
        for line in Question::from(entry).lines() {
            screen.print(&line);
        }
    }
    let approval = reply.asks.iter().all(|entry| entry.approval);
    screen.say(&format!("{tool} of {agent} waits for an answer"));
    screen.say(match approval {
        true => "  allow it with --yes",
        false => "  pass the values with --answer NAME=VALUE, or call it on a terminal",
    });
}
