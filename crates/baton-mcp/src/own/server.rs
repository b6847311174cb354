//! MCP handler of Baton's own server.

use super::{
    shapes::Capabilities,
    tools::{self, Names, Verb},
};
use crate::{
    Common, McpService,
    span::called,
    work::{self, Work},
};
use baton_ports::{AgentInvoker, AgentSource};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{CallToolRequestParams, CallToolResponse, ListToolsResult, PaginatedRequestParams, ServerConfig, Tool},
    service::RequestContext,
};
use std::{sync::Arc, time::Duration};

/// Usage instructions for a model; clients show them first.
const INSTRUCTIONS: &str = "Baton runs agents that do work for you. Call list_agents to see who there is and what each is \
good at, then call_agent with an agentId and a message. The agent does not see your conversation, so the message must say \
everything that it needs. The result has the agent's response, a status, a taskId and a contextId. Pass the contextId to go \
on with the same conversation; without it every call begins a new one. When the status is input-required, the response is a \
question: find the answer, ask the user if you must, and call call_agent with the same agentId, the taskId and the answer as \
message. Agents may work for minutes; cancelling the call cancels their work. The tools also go by the names a2a_list_agents \
and a2a_send_message.";

/// A2A capabilities that the server reports for the agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnOptions {
    /// Whether agents support streaming.
    pub streaming: bool,
    /// Whether agents support push notifications.
    pub push: bool,
}

impl Default for OwnOptions {
    fn default() -> Self {
        Self { streaming: true, push: true }
    }
}

/// Lets MCP clients list and call all agents; cheap to clone.
#[derive(Clone)]
pub struct OwnServer {
    pub(super) agents: Arc<dyn AgentSource>,
    pub(super) desk: Arc<dyn AgentInvoker>,
    options: OwnOptions,
    heartbeat: Duration,
}

impl OwnServer {
    /// The endpoint for the agents of `agents`, which are invoked through `desk`.
    pub fn endpoint(
        agents: Arc<dyn AgentSource>,
        desk: Arc<dyn AgentInvoker>,
        options: OwnOptions,
        common: &Common,
    ) -> McpService<Self> {
        let handler = Self { agents, desk, options, heartbeat: common.limits.heartbeat };
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
        work::tool_server("baton", "Baton", "Finds and calls the agents of a Baton", INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let names = Names::of_query(work::query(&context));
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
            let work = Work::of(&context, self.heartbeat)?;
            let result = match Verb::named(&request.name) {
                Some(Verb::List) => self.list_agents(&work.caller.principal, work.served_at()).await,
                Some(Verb::Call) => self.call_agent(&work, request.arguments).await,
                None => return Err(work::unknown_tool(&request.name, &tools::all(Names::Baton))),
            };
            Ok(result.into())
        };
        called(&context, answer).await
    }
}
