//! MCP handler of Baton's own server.

use super::{
    shapes::Capabilities,
    tools::{self, OwnTool, ToolNameSet},
};
use crate::{
    EndpointContext, McpService,
    agent_invocation::{self, AgentInvocation},
    span::run_call_in_span,
};
use baton_ports::{AgentInvoker, AgentSource};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams, ServerConfig, Tool},
    service::RequestContext,
};
use std::{sync::Arc, time::Duration};

/// Usage instructions for a model; clients show them first.
const INSTRUCTIONS: &str = "Baton runs agents that do work for you. Call list_agents to see the agents and what each is \
good at, then call_agent with an agentId and a message. The agent does not see your conversation, so the message must include \
everything that it needs. The result has the agent's response, a status, a taskId and a contextId. Pass the contextId to \
continue the same conversation; without it every call starts a new one. When the status is input-required, the response is a \
question: find the answer, ask the user if you must, and call call_agent with the same agentId, the taskId and the answer as \
message. Agents may work for minutes; cancelling the call cancels their work. The tools are also available as a2a_list_agents \
and a2a_send_message.";

/// A2A capabilities that the server reports for the agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnServerOptions {
    /// Whether agents support streaming.
    pub streaming: bool,
    /// Whether agents support push notifications.
    pub push: bool,
}

impl Default for OwnServerOptions {
    fn default() -> Self {
        Self { streaming: true, push: true }
    }
}

/// Lets MCP clients list and call all agents; cheap to clone.
#[derive(Clone)]
pub struct OwnServer {
    pub(super) agents: Arc<dyn AgentSource>,
    pub(super) invoker: Arc<dyn AgentInvoker>,
    options: OwnServerOptions,
    heartbeat: Duration,
}

impl OwnServer {
    /// The endpoint for the agents of a source.
    pub fn endpoint(
        agents: Arc<dyn AgentSource>,
        invoker: Arc<dyn AgentInvoker>,
        options: OwnServerOptions,
        common: &EndpointContext,
    ) -> McpService<Self> {
        let handler = Self { agents, invoker, options, heartbeat: common.limits.heartbeat };
        McpService::new("own", common, move || handler.clone())
    }

    pub(super) fn capabilities(&self) -> Capabilities {
        Capabilities {
            streaming: self.options.streaming,
            push_notifications: self.options.push,
            state_transition_history: false,
        }
    }
}

impl ServerHandler for OwnServer {
    fn get_info(&self) -> ServerConfig {
        agent_invocation::tool_server("baton", "Baton", "Finds and calls the agents of a Baton", INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let names = ToolNameSet::from_query(agent_invocation::query(&context));
        Ok(ListToolsResult::with_all_items(tools::all(names)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::one(name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = async {
            let work = AgentInvocation::from_context(&context, self.heartbeat)?;
            let result = match OwnTool::from_name(&request.name) {
                Some(OwnTool::List) => self.list_agents(&work.caller.principal, work.base_url()).await,
                Some(OwnTool::Call) => self.call_agent(&work, request.arguments).await,
                None => return Err(agent_invocation::unknown_tool(&request.name, &tools::all(ToolNameSet::Baton))),
            };
            Ok(result.into())
        };
        run_call_in_span(&context, answer).await
    }
}
