//! How a task stands in the end, and what comes of a question.

use super::telling::Telling;
use crate::{
    failure::{Exit, Failure},
    follow::Ended,
    screen::{Screen, harmless},
};
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Task, TaskState};
use std::io::{self, IsTerminal};

/// The answer of whoever sits at the terminal, when the task asks for one and somebody is there.
pub(super) async fn answer(ended: &Ended, screen: Screen) -> Option<String> {
    let interactive = !screen.is_json() && io::stdin().is_terminal() && io::stderr().is_terminal();
    let asks = ended.status.state == TaskState::InputRequired && ended.status.calls.is_empty();
    if asks && interactive { ask(ended, screen).await } else { None }
}

/// Asks on the terminal; nothing when the terminal is closed.
async fn ask(ended: &Ended, screen: Screen) -> Option<String> {
    screen.ask(&format!("{}\n> ", harmless(&ended.status.says)));
    let line = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        io::stdin().read_line(&mut line).map(|read| (read > 0).then_some(line))
    });
    let line = line.await.ok()?.ok()??;
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// Says how the task stands; `whole` is all of it, for programs.
pub(super) fn finish(
    agent: &str,
    ended: Ended,
    whole: Option<&Task<'_>>,
    telling: &mut Telling,
) -> Result<Exit, Failure> {
    let Ended { task, status } = ended;
    let screen = telling.screen;
    if let Some(whole) = whole {
        let json = serde_json::to_string_pretty(whole)
            .map_err(|error| Failure::new(ErrorCode::INTERNAL, error.to_string()))?;
        screen.print(&json);
    }
    match status.state {
        TaskState::Completed => {
            if !screen.is_json() {
                telling.answer.complete(&status.says);
            }
            Ok(Exit::Ok)
        }
        TaskState::InputRequired | TaskState::AuthRequired => {
            if screen.is_json() {
                return Ok(Exit::InputRequired);
            }
            if !status.says.is_empty() {
                screen.print(&harmless(&status.says));
            }
            for call in &status.calls {
                screen.print(&format!("{} {} {}", call.id, call.name, call.arguments));
            }
            screen.say(&format!("task {task} waits for an answer"));
            screen.say(&match status.calls.is_empty() {
                true => format!("  answer with: baton run {agent} \"...\" --task {task}"),
                false => "  it waits for tool results; an A2A client sends them as a tool_results data part".to_owned(),
            });
            Ok(Exit::InputRequired)
        }
        _ => {
            let state = status.state.known().map_or("not done", baton_types::TaskState::as_str);
            let Some(reason) = status.reason else {
                let why = if status.says.is_empty() { String::new() } else { format!(": {}", status.says) };
                return Err(Failure::plain(Exit::TaskFailed, format!("task {task} is {state}{why}")));
            };
            let known = ErrorCode::ALL.iter().find(|known| known.code == reason.code);
            let message = format!("task {task} is {state}: {}", reason.detail);
            let failed = Failure::foreign(reason.code, message, known.map(|known| known.hint.to_owned()));
            Err(failed.exit(Exit::TaskFailed))
        }
    }
}
