//! Final state of a task, and answers to its questions.

use super::{inputs, telling::Telling};
use crate::{
    failure::{Exit, Failure},
    follow::Ended,
    form::{line, someone_is_there},
    screen::{Screen, harmless},
};
use baton_types::{ErrorCode, Part};
use baton_wire::{
    a2a::v1::{Task, TaskState},
    api::ApprovalEntry,
};

/// Answer typed on the terminal; `None` if the task asks nothing or no terminal is available.
pub(super) async fn answer(agent: &str, ended: &Ended, screen: Screen) -> Option<Vec<Part>> {
    let asks = ended.status.state == TaskState::InputRequired && ended.status.calls.is_empty();
    if !asks || !someone_is_there(screen) {
        return None;
    }
    if !ended.status.asks.is_empty() {
        return Some(vec![inputs::answer(&ended.status.asks, agent, screen).await?]);
    }
    let words = line(screen, &format!("{}\n> ", harmless(&ended.status.says))).await?;
    (!words.is_empty()).then(|| vec![Part::text(words)])
}

/// Prints the state of the task. `whole` is the complete task, for JSON output; `approvals` are its pending approvals
/// on this server.
pub(super) fn finish(
    agent: &str,
    ended: Ended,
    whole: Option<&Task<'_>>,
    approvals: &[ApprovalEntry],
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
            if !status.says.is_empty() && status.asks.is_empty() {
                screen.print(&harmless(&status.says));
            }
            for line in inputs::lines(&status.asks, agent) {
                screen.print(&line);
            }
            for call in &status.calls {
                screen.print(&format!("{} {} {}", call.id, call.name, call.arguments));
            }
            screen.say(&format!("task {task} waits for an answer"));
            let commands = inputs::commands(approvals);
            if !commands.is_empty() {
                screen.say("answer with:");
                for command in commands {
                    screen.say(&format!("  {command}"));
                }
                return Ok(Exit::InputRequired);
            }
            screen.say(&match status.calls.is_empty() {
                true if !status.asks.is_empty() => format!("  {}", inputs::how(&status.asks, agent, &task)),
                true => format!("  answer with: baton run {agent} \"...\" --task {task}"),
                false => "  its tools run in the caller: call it by its address, so that `baton run` runs them; other A2A clients \
                          send a tool_results data part"
                    .to_owned(),
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
