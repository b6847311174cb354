//! Results of a handoff for the client's model.

use crate::agent_invocation::structured_result;
use baton_ports::AgentReply;
use baton_types::{ErrorCode, HandoffId, TaskState};
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;

#[derive(Serialize)]
struct HandoffToolResult<'a> {
    response: String,
    agent_uri: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<String>,
    via: &'static str,
}

/// The agent's answer; `via` names the side that performed the handoff, `client` or `server`.
pub(super) fn answer(
    agent_uri: &str,
    response: String,
    task_id: Option<String>,
    context_id: Option<String>,
    via: &'static str,
) -> CallToolResult {
    structured_result(&HandoffToolResult { response, agent_uri, context_id, task_id, via })
}

/// Result of a task that Baton created for the agent.
pub(super) fn task_result(agent_uri: &str, reply: AgentReply) -> CallToolResult {
    let AgentReply { task, context, state, text } = reply;
    let trimmed = text.trim();
    match state {
        TaskState::Completed => {
            let response = if trimmed.is_empty() {
                format!("The agent finished without a text answer, in task {task}.")
            } else {
                text
            };
            answer(agent_uri, response, Some(task.to_string()), Some(context.to_string()), "server")
        }
        TaskState::InputRequired | TaskState::AuthRequired => error(&format!(
            "The agent '{agent_uri}' asks: {trimmed}\nIts task {task} waits for the answer: answer that task, or call \
             handoff again with a message that includes it.",
        )),
        state => {
            error(&format!("The agent '{agent_uri}' did not complete its task {task} ({}): {trimmed}", state.as_str()))
        }
    }
}

pub(super) fn failed_result(agent_uri: &str, reason: &str) -> CallToolResult {
    error(&format!("The handoff to '{agent_uri}' failed: {reason}\nTry again, or continue without that agent."))
}

/// The record is closed, so a later answer is rejected.
pub(super) fn closed_result(id: &HandoffId) -> CallToolResult {
    error(&format!(
        "The handoff {id} has ended already: it was answered before, or its deadline passed. This answer is ignored. \
         Call handoff again without a requestState."
    ))
}

fn error(message: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(format!("{message} [{}]", ErrorCode::HANDOFF_FAILED.code))])
}
