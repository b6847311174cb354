//! Calls of an exported tool.

use super::{arguments::validate_arguments, prompt};
use crate::agent_invocation::{self, AgentInvocation};
use baton_ports::{AgentInvoker, AgentReply, AgentRequest};
use baton_rules::{Access, check_access};
use baton_types::{AgentName, ErrorCode, ExportedTool, TaskState};
use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolResult, ContentBlock, JsonObject, MetaObject},
    service::RequestContext,
};
use std::time::Duration;

/// Runs an agent on the prompt of an exported tool, as a new task of the caller, and returns its last answer.
///
/// Questions cannot be answered during the call, so a question of the agent is a failure that includes the question. A
/// caller with a progress token gets a notification every `heartbeat`; cancelling the request cancels the task.
pub async fn call(
    invoker: &dyn AgentInvoker,
    agent: &AgentName,
    tool: &ExportedTool,
    arguments: Option<JsonObject>,
    context: &RequestContext<RoleServer>,
    heartbeat: Duration,
) -> Result<CallToolResult, ErrorData> {
    let work = AgentInvocation::from_context(context, heartbeat)?;
    if let Err(missing) = check_access(&work.caller.principal, Access::Call, Some(agent)) {
        return Ok(work.scope_error(&missing));
    }
    let arguments = match validate_arguments(&tool.name, tool.parameters.to_value(), arguments) {
        Ok(arguments) => arguments,
        Err(faults) => return Ok(agent_invocation::error_result(ErrorCode::INVALID_REQUEST, &faults)),
    };
    let ask = AgentRequest {
        agent: agent.clone(),
        text: prompt(tool, &arguments),
        context: None,
        task: None,
        depth: work.caller.depth,
        trace: work.caller.trace.clone(),
        autonomous: true,
    };
    Ok(work.invoke(invoker, ask).await.map_or_else(|refused| refused, |reply| result(&reply)))
}

fn result(reply: &AgentReply) -> CallToolResult {
    let task = &reply.task;
    let trimmed = reply.text.trim();
    let (failed, text) = match reply.state {
        TaskState::Completed if trimmed.is_empty() => {
            (false, format!("The agent finished without a text answer, in task {task}."))
        }
        TaskState::Completed => (false, reply.text.clone()),
        TaskState::InputRequired | TaskState::AuthRequired => (
            true,
            format!(
                "The agent asked: {trimmed}\nQuestions cannot be answered while this tool runs. Call it again with \
                 arguments that answer it, or answer task {task} with call_agent."
            ),
        ),
        TaskState::Failed | TaskState::Canceled | TaskState::Rejected if trimmed.is_empty() => {
            (true, format!("The agent's task {task} ended as {}.", reply.state.as_str()))
        }
        TaskState::Failed | TaskState::Canceled | TaskState::Rejected => (true, reply.text.clone()),
        TaskState::Submitted | TaskState::Working => (true, format!("The agent is still working on task {task}.")),
    };
    let content = vec![ContentBlock::text(text)];
    let result = if failed { CallToolResult::error(content) } else { CallToolResult::success(content) };
    result.with_meta(Some(result_meta(reply)))
}

/// Task and conversation of the call.
fn result_meta(reply: &AgentReply) -> MetaObject {
    let mut meta = MetaObject::default();
    meta.insert("dev.baton/taskId".to_owned(), reply.task.to_string().into());
    meta.insert("dev.baton/contextId".to_owned(), reply.context.to_string().into());
    meta
}
