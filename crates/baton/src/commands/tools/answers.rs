//! Answers to questions of a tool during a call.

use crate::{
    error_codes,
    failure::CliError,
    form::{InputQuestion, InputReply, is_interactive},
    screen::Screen,
};
use baton_api::{AnswerEntry, QuestionEntry, ToolReply};
use serde_json::json;

/// Answers from the command line.
#[derive(Clone, Copy)]
pub(super) struct PresetAnswers<'a> {
    pub(super) pairs: &'a [(String, String)],
    pub(super) yes: bool,
}

/// Answers all questions; `None` if the terminal is needed for one but not available.
pub(super) async fn answer_questions(
    asks: &[QuestionEntry],
    prepared: PresetAnswers<'_>,
    screen: Screen,
) -> Result<Option<Vec<AnswerEntry>>, CliError> {
    let mut answers = Vec::with_capacity(asks.len());
    for entry in asks {
        let question = InputQuestion::from(entry);
        let unfit =
            |unfit: crate::form::FormValueError| CliError::new(error_codes::USAGE, format!("--answer: {}", unfit.0));
        let reply = match question.reply_from_values(prepared.pairs).map_err(unfit)? {
            Some(reply) => reply,
            None if entry.approval && prepared.yes => InputReply::accept(),
            None if is_interactive(screen) => question.ask(prepared.pairs, screen).await.map_err(unfit)?,
            None => return Ok(None),
        };
        answers.push(AnswerEntry { key: entry.key.clone(), action: reply.action, content: reply.content });
    }
    Ok(Some(answers))
}

/// Prints the questions and the options that answer them.
pub(super) fn print_questions(agent: &str, tool: &str, reply: &ToolReply, screen: Screen) {
    if screen.is_json() {
        screen.print(&json!(reply).to_string());
        return;
    }
    for entry in &reply.questions {
        for line in InputQuestion::from(entry).lines() {
            screen.print(&line);
        }
    }
    let approval = reply.questions.iter().all(|entry| entry.approval);
    screen.print_stderr(&format!("{tool} of {agent} waits for an answer"));
    screen.print_stderr(match approval {
        true => "  allow it with --yes",
        false => "  pass the values with --answer NAME=VALUE, or call it on a terminal",
    });
}
