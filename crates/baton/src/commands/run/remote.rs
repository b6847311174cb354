//! Runs a remote agent directly, without a server in between, and executes the tools that it delegates to the caller.

mod handoff_permission;
mod observer;

use self::observer::RemoteRunObserver;
use super::{
    RunRequest,
    finish::{print_result, prompt_answer},
    initial_message, inputs,
    printer::RunPrinter,
};
use crate::{
    failure::{CliError, Exit},
    follow::FollowOutcome,
    screen::escape_for_terminal,
};
use baton_orchestrator::{AgentAnswer, OrchestrateError, Orchestrator};
use baton_ports::PeerError;
use baton_types::ErrorCode;

/// Sends the message, follows the task, runs tools, and prompts for answers when the agent or a tool asks.
pub(super) async fn converse(
    orchestrator: &Orchestrator,
    url: &str,
    request: RunRequest,
    telling: &mut RunPrinter,
) -> Result<Exit, CliError> {
    let RunRequest { message, task, context, settings } = request;
    let mut message = initial_message(message, settings);
    message.task = task.map(Into::into);
    message.context = context.map(Into::into);
    let mut watching = RemoteRunObserver::new(telling);
    let mut answer = orchestrator.send(url, message, &watching).await.map_err(|error| failure(&error))?;
    loop {
        let ended = watching.ended(&answer);
        let telling = watching.printer();
        telling.answer.end_line();
        let Some(ended) = ended else {
            // A reply without a task.
            telling.screen.print(&escape_for_terminal(&answer.text));
            return Ok(Exit::Ok);
        };
        let Some(parts) = prompt_answer(url, &ended, telling.screen).await else {
            return finish_unanswered(orchestrator, url, ended, &answer, telling).await;
        };
        answer = orchestrator.resume(answer, parts, &watching).await.map_err(|error| failure(&error))?;
    }
}

/// Prints the state of a task that has ended, or waits for input that cannot be given now.
async fn finish_unanswered(
    orchestrator: &Orchestrator,
    url: &str,
    ended: FollowOutcome,
    answer: &AgentAnswer,
    telling: &mut RunPrinter,
) -> Result<Exit, CliError> {
    let full_task = match telling.screen.is_json() {
        true => Some(orchestrator.task(url, &ended.task).await.map_err(|error| failure(&error))?),
        false => None,
    };
    if !answer.has_tool_questions() {
        return print_result(url, ended, full_task.as_ref(), &[], telling);
    }
    if let Some(full_task) = &full_task {
        return print_result(url, ended, Some(full_task), &[], telling);
    }
    for line in inputs::lines(&ended.status.input_requests, url) {
        telling.screen.print(&line);
    }
    telling
        .screen
        .print_stderr(&format!("task {} waits for tools that ask for input; answer on a terminal", ended.task));
    Ok(Exit::InputRequired)
}

/// Converts an error of the remote agent.
fn failure(error: &OrchestrateError) -> CliError {
    let base = CliError::new(error.code(), error.to_string());
    match error {
        OrchestrateError::Peer(PeerError::Unreachable { code: ErrorCode::PEER_UNREACHABLE, .. } | PeerError::Lost(_)) => {
            base.hint("Check that it is running and that its address is correct: baton agents show URL.").exit(Exit::Server)
        }
        OrchestrateError::UnknownAgent(unknown) if unknown.code == ErrorCode::PEER_UNREACHABLE => base.exit(Exit::Server),
        OrchestrateError::Peer(PeerError::Refused(_)) => base.hint(
            "The message contains its reply. Pass credentials with --bearer env://NAME, or configure them under peers in baton.yaml.",
        ),
        OrchestrateError::Peer(PeerError::InDoubt(_)) => {
            base.hint("Check the agent before you retry: it may have done the work.")
        }
        OrchestrateError::NoEnvironment { .. } => base
            .hint("Check that its Environment is available, or let the agent run its own tools (tools: agent).")
            .exit(Exit::Server),
        _ => base,
    }
}
