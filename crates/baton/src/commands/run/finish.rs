//! Final state of a task, and answers to its questions.

use super::{inputs, printer::RunPrinter};
use crate::{
    error_codes,
    failure::{CliError, Exit},
    follow::FollowOutcome,
    form::{is_interactive, read_line},
    screen::{Screen, escape_for_terminal},
};
use baton_api::ApprovalEntry;
use baton_types::{ErrorCode, Part};
use baton_wire::a2a::v1::{Task, TaskState};

/// Answer typed on the terminal; `None` if the task asks nothing or no terminal is available.
pub(super) async fn prompt_answer(agent: &str, ended: &FollowOutcome, screen: Screen) -> Option<Vec<Part>> {
    let asks = ended.status.state == TaskState::InputRequired && ended.status.calls.is_empty();
    if !asks || !is_interactive(screen) {
        return None;
    }
    if !ended.status.input_requests.is_empty() {
        return Some(vec![inputs::prompt_answers(&ended.status.input_requests, agent, screen).await?]);
    }
    let text = read_line(screen, &format!("{}\n> ", escape_for_terminal(&ended.status.message))).await?;
    (!text.is_empty()).then(|| vec![Part::text(text)])
}

/// Prints the state of the task. `full_task` is the complete task, for JSON output; `approvals` are its pending
/// approvals on this server.
pub(super) fn print_result(
    agent: &str,
    ended: FollowOutcome,
    full_task: Option<&Task<'_>>,
    approvals: &[ApprovalEntry],
    telling: &mut RunPrinter,
) -> Result<Exit, CliError> {
    let FollowOutcome { task, status } = ended;
    let screen = telling.screen;
    if let Some(full_task) = full_task {
        let json = serde_json::to_string_pretty(full_task)
            .map_err(|error| CliError::new(ErrorCode::INTERNAL, error.to_string()))?;
        screen.print(&json);
    }
    match status.state {
        TaskState::Completed => {
            if !screen.is_json() {
                telling.answer.complete(&status.message);
            }
            Ok(Exit::Ok)
        }
        TaskState::InputRequired | TaskState::AuthRequired => {
            if screen.is_json() {
                return Ok(Exit::InputRequired);
            }
            if !status.message.is_empty() && status.input_requests.is_empty() {
                screen.print(&escape_for_terminal(&status.message));
            }
            for line in inputs::lines(&status.input_requests, agent) {
                screen.print(&line);
            }
            for call in &status.calls {
                screen.print(&format!("{} {} {}", call.id, call.name, call.arguments));
            }
            screen.print_stderr(&format!("task {task} waits for an answer"));
            let commands = inputs::answer_commands(approvals);
            if !commands.is_empty() {
                screen.print_stderr("answer with:");
                for command in commands {
                    screen.print_stderr(&format!("  {command}"));
                }
                return Ok(Exit::InputRequired);
            }
            screen.print_stderr(&match status.calls.is_empty() {
                true if !status.input_requests.is_empty() => format!("  {}", inputs::answer_hint(&status.input_requests, agent, &task)),
                true => format!("  answer with: baton run {agent} \"...\" --task {task}"),
                false => "  its tools run in the caller: call it by its address, so that `baton run` runs them; other A2A clients \
                          send a tool_results data part"
                    .to_owned(),
            });
            Ok(Exit::InputRequired)
        }
        _ => {
            let state = status.state.to_task_state().map_or("not done", baton_types::TaskState::as_str);
            let Some(reason) = status.reason else {
                let suffix = if status.message.is_empty() { String::new() } else { format!(": {}", status.message) };
                return Err(CliError::without_code(Exit::TaskFailed, format!("task {task} is {state}{suffix}")));
            };
            let code = error_codes::find(&reason.code);
            let message = format!("task {task} is {state}: {}", reason.detail);
            let failed = CliError::with_code(reason.code, message, code.map(|code| code.hint.to_owned()));
            Err(failed.exit(Exit::TaskFailed))
        }
    }
}
