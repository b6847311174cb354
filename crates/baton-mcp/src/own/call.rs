//! `call_agent`.

use super::{
    OwnServer,
    shapes::{CallAgentArguments, CallAgentResult},
    visible_agents,
};
use crate::agent_invocation::{self, AgentInvocation};
use baton_ports::AgentRequest;
use baton_rules::{Access, check_access};
use baton_types::{ErrorCode, TaskState};
use rmcp::model::{CallToolResult, JsonObject};
use serde_json::Value;

impl OwnServer {
    /// Sends a message to an agent and waits for its reply; errors are results for the caller's model.
    pub(super) async fn call_agent(&self, work: &AgentInvocation<'_>, arguments: Option<JsonObject>) -> CallToolResult {
        let request = match read(arguments) {
            Ok(request) => request,
            Err(detail) => return agent_invocation::error_result(ErrorCode::INVALID_REQUEST, &detail),
        };
        let agents = visible_agents::visible_agents(self.agents.as_ref(), &work.caller.principal);
        let agent = match visible_agents::find(&agents, &request.agent_id) {
            Ok(agent) => agent.name.clone(),
            Err(detail) => return agent_invocation::error_result(ErrorCode::AGENT_NOT_FOUND, &detail),
        };
        if let Err(missing) = check_access(&work.caller.principal, Access::Call, Some(&agent)) {
            return work.scope_error(&missing);
        }
        let ask = AgentRequest {
            agent: agent.clone(),
            text: request.message,
            context: request.context_id.map(Into::into),
            task: request.task_id.map(Into::into),
            depth: work.caller.depth,
            trace: work.caller.trace.clone(),
            autonomous: false,
        };
        match work.invoke(self.invoker.as_ref(), ask).await {
            Err(result) => result,
            Ok(reply) => {
                let failed = matches!(reply.state, TaskState::Failed | TaskState::Canceled | TaskState::Rejected);
                let mut result =
                    agent_invocation::structured_result(&CallAgentResult::from_reply(&reply, agent.as_str()));
                result.is_error = Some(failed);
                result
            }
        }
    }
}

fn read(arguments: Option<JsonObject>) -> Result<CallAgentArguments, String> {
    let mut members = arguments.unwrap_or_default();
    // Models often send null or an empty string for an omitted argument.
    for optional in ["contextId", "context_id", "taskId", "task_id"] {
        if members.get(optional).is_some_and(|value| value.is_null() || value == "") {
            members.remove(optional);
        }
    }
    let request: CallAgentArguments = serde_json::from_value(Value::Object(members))
        .map_err(|error| format!("invalid arguments: {error}; the strings agentId and message are required"))?;
    if request.message.trim().is_empty() {
        return Err("the message is empty; say what the agent should do".to_owned());
    }
    Ok(request)
}
