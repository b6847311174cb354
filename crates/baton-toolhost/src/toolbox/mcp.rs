//! Tool calls of a run to MCP servers.

use super::{
    output::{MAX_OUTPUT, output},
    questions::{QuestionRound, QuestionState, run_round},
};
use crate::{CallObserver, CallOptions, McpServers, ServerError, ServerReply, servers::host_capabilities};
use baton_ports::{ToolHelper, ToolInvocation, ToolOutcome, ToolOutput, ToolProgress};
use baton_types::{AgentName, CallId, Json, McpServer, TaskId, ToolInputRequest};
use rmcp::model::{InputResponses, JsonObject, ProgressNotificationParam};
use std::sync::Arc;
use tokio::sync::mpsc;

/// Maximum rounds of questions in one call.
const MAX_ROUNDS: u32 = 10;
const MAX_PROGRESS: usize = 64;

/// Address of a tool: agent, server, and the tool's name at the server.
#[derive(Clone, Copy)]
pub(super) struct ToolAddress<'a> {
    pub(super) agent: &'a AgentName,
    pub(super) server: &'a str,
    pub(super) tool: &'a str,
}

/// Calls the tool. Sampling and roots requests are answered here; questions for people suspend the call.
pub(super) async fn call(servers: &McpServers, run: ToolInvocation<'_>, at: ToolAddress<'_>) -> ToolOutcome {
    let Ok(arguments) = run.call.arguments.read::<JsonObject>() else {
        return failed(format!("{} was not run: its arguments are not a JSON object; send an object", run.call.name));
    };
    let pending = run.answers.and_then(|answers| Some((QuestionState::parse_state(answers)?, answers)));
    let (mut responses, mut state, mut rounds) = match pending {
        Some((pending, answers)) => (Some(pending.responses(answers)), pending.state, pending.rounds),
        None => (None, None, 0),
    };
    let (sink, mut progress) = mpsc::channel(MAX_PROGRESS);
    let options = CallOptions {
        arguments: Some(arguments),
        capabilities: host_capabilities(),
        caller: caller(run),
        account: account(run),
        events: Some(Arc::new(ProgressForwarder(sink))),
        trace: run.trace.map(str::to_owned),
        depth: run.helper.depth(),
        task: run.task.cloned(),
        remote_call: remote_call(run, at.server),
        ..CallOptions::default()
    };
    loop {
        let options = CallOptions { input_responses: responses.take(), request_state: state.take(), ..options.clone() };
        let reply = {
            let reply = servers.call_tool(at.agent, at.server, at.tool, options);
            forward_progress(reply, &mut progress, run.helper).await
        };
        match reply {
            Ok(ServerReply::Done(result)) => return ToolOutcome::Done(output(result, MAX_OUTPUT)),
            Ok(ServerReply::InputRequired { .. }) if rounds >= MAX_ROUNDS => {
                return failed(format!(
                    "{} was stopped: it asked for input more than {MAX_ROUNDS} times",
                    run.call.name
                ));
            }
            Ok(ServerReply::InputRequired { requests, state: next }) => {
                rounds += 1;
                match run_round(requests, next.clone(), rounds, run.helper).await {
                    QuestionRound::Answered(answers) => (responses, state) = (Some(answers).filter(has_some), next),
                    QuestionRound::LimitExceeded => {
                        return failed(format!("{} was stopped: it asked for too much input at once", run.call.name));
                    }
                    QuestionRound::InputRequired(questions, pending) => {
                        return ToolOutcome::InputRequired(ToolInputRequest {
                            questions,
                            state: pending.serialize_state(),
                        });
                    }
                }
            }
            Err(error) => return failed(failure_text(&run.call.name, &error)),
        }
    }
}

fn has_some(responses: &InputResponses) -> bool {
    !responses.is_empty()
}

/// Forwards progress while the call runs, and the remaining reports when it is done.
async fn forward_progress<T>(
    reply: impl Future<Output = T>,
    progress: &mut mpsc::Receiver<ProgressNotificationParam>,
    helper: &dyn ToolHelper,
) -> T {
    tokio::pin!(reply);
    let reply = loop {
        tokio::select! {
            biased;
            Some(step) = progress.recv() => report_progress(step, helper),
            reply = &mut reply => break reply,
        }
    };
    while let Ok(step) = progress.try_recv() {
        report_progress(step, helper);
    }
    reply
}

fn report_progress(step: ProgressNotificationParam, helper: &dyn ToolHelper) {
    helper.progress(ToolProgress { done: step.progress, total: step.total, message: step.message });
}

/// Identity required to continue the call: within a run the call itself, otherwise the caller, since each of its rounds
/// is a new call.
fn caller(run: ToolInvocation<'_>) -> String {
    let (task, call) = run.task.map_or(("", ""), |task| (task.as_str(), run.call.id.as_str()));
    let parts = [&run.principal.tenant, &run.principal.subject, task, call];
    parts.join("\0")
}

/// Task and call ids at the remote agent, for calls to its Environment.
fn remote_call(run: ToolInvocation<'_>, server: &str) -> Option<(TaskId, CallId)> {
    let task = run.helper.remote_task().filter(|_| server == McpServer::ENVIRONMENT)?;
    Some((task, run.call.id.clone()))
}

/// Account that the call counts against.
fn account(run: ToolInvocation<'_>) -> String {
    format!("{}\0{}", run.principal.tenant, run.principal.subject)
}

fn failure_text(name: &str, error: &ServerError) -> String {
    let advice = match error {
        ServerError::Unknown { .. } | ServerError::NotReady { .. } => {
            "tell the user that the tool cannot be used now, and why"
        }
        ServerError::TimedOut { .. } => "ask for less at once, or tell the user that it takes too long",
        ServerError::Broken { .. } => "the call may have had effects: check before you make it again",
        ServerError::Rejected { .. } | ServerError::Invalid { .. } => {
            "check the arguments and call it again, or tell the user what went wrong"
        }
        ServerError::Expired => "call it again",
    };
    format!("{name} failed: {error}\nWhat to do: {advice}.")
}

pub(super) fn failed(text: impl AsRef<str>) -> ToolOutcome {
    ToolOutcome::Done(ToolOutput { output: Json::string(text.as_ref()), is_error: true })
}

/// Forwards progress to the task that awaits the call.
struct ProgressForwarder(mpsc::Sender<ProgressNotificationParam>);

impl CallObserver for ProgressForwarder {
    fn progress(&self, progress: ProgressNotificationParam) {
        // The latest report counts; when the receiver is slow, reports may be dropped.
        let _ = self.0.try_send(progress);
    }
}
