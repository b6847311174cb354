//! The MCP servers of agents: connections, statuses, and calls in the words of the protocol.

mod options;
mod reply;

pub use options::{CallEvents, CallOptions, HostSettings};
pub use reply::{OfferedPrompt, OfferedTool, ServerError, ServerEvent, ServerItem, ServerReply};

use crate::Connectors;
use baton_ports::{AgentSource, ServerStatus};
use baton_types::{AgentName, AgentSpec};
use rmcp::model::{
    CallToolResult, CompleteRequestParams, CompleteResult, GetPromptResult, LoggingLevel, ReadResourceResult, Resource,
    ResourceTemplate, ServerCapabilities,
};
use std::{sync::Arc, time::Duration};
use tokio::sync::broadcast;

/// The MCP servers of all agents; clones share them.
#[derive(Clone)]
pub struct McpServers {
    agents: Arc<dyn AgentSource>,
    connectors: Connectors,
    settings: HostSettings,
}

impl McpServers {
    /// Of the agents that this source has; nothing is started yet. Needs a tokio runtime.
    pub fn new(agents: Arc<dyn AgentSource>, connectors: Connectors, settings: HostSettings) -> Self {
        Self { agents, connectors, settings }
    }

    /// Starts the agent's servers without waiting for them.
    pub fn warm(&self, agent: &AgentName) {
        let _ = (agent, &self.agents, &self.connectors, &self.settings);
    }

    /// Where the agent's servers stand, in the order of its definition.
    pub fn statuses(&self, agent: &AgentName) -> Vec<ServerStatus> {
        let _ = agent;
        Vec::new()
    }

    /// Tries a server again at once, after somebody logged in or mended it.
    pub fn reconnect(&self, agent: &AgentName, server: &str) {
        let _ = (agent, server);
    }

    /// Starts the agent's servers, waits at most this long (longer for required ones) and gives the tools of those
    /// that are ready, sorted by exposed name; denied tools are left out.
    pub async fn tools(&self, agent: &AgentSpec, patience: Duration) -> Vec<OfferedTool> {
        let _ = (agent, patience);
        Vec::new()
    }

    /// The prompts of servers that are ready, under exposed names.
    pub async fn prompts(&self, agent: &AgentName, patience: Duration) -> Vec<OfferedPrompt> {
        let _ = (agent, patience);
        Vec::new()
    }

    /// The resources of servers that are ready.
    pub async fn resources(&self, agent: &AgentName, patience: Duration) -> Vec<ServerItem<Resource>> {
        let _ = (agent, patience);
        Vec::new()
    }

    /// The resource templates of servers that are ready.
    pub async fn templates(&self, agent: &AgentName, patience: Duration) -> Vec<ServerItem<ResourceTemplate>> {
        let _ = (agent, patience);
        Vec::new()
    }

    /// What each server that is ready can do.
    pub fn capabilities(&self, agent: &AgentName) -> Vec<ServerItem<ServerCapabilities>> {
        let _ = agent;
        Vec::new()
    }

    /// Calls a tool by the names that the server knows; dropping the future cancels the call.
    pub async fn call_tool(
        &self,
        agent: &AgentName,
        server: &str,
        tool: &str,
        options: CallOptions,
    ) -> Result<ServerReply<CallToolResult>, ServerError> {
        let _ = (agent, tool, options);
        Err(ServerError::Unknown { server: server.to_owned() })
    }

    /// Gets a prompt by the server's own name for it; its arguments are those of the options.
    pub async fn get_prompt(
        &self,
        agent: &AgentName,
        server: &str,
        prompt: &str,
        options: CallOptions,
    ) -> Result<ServerReply<GetPromptResult>, ServerError> {
        let _ = (agent, prompt, options);
        Err(ServerError::Unknown { server: server.to_owned() })
    }

    /// Reads a resource.
    pub async fn read_resource(
        &self,
        agent: &AgentName,
        server: &str,
        uri: &str,
        options: CallOptions,
    ) -> Result<ServerReply<ReadResourceResult>, ServerError> {
        let _ = (agent, uri, options);
        Err(ServerError::Unknown { server: server.to_owned() })
    }

    /// Asks a server to complete an argument.
    pub async fn complete(
        &self,
        agent: &AgentName,
        server: &str,
        params: CompleteRequestParams,
    ) -> Result<CompleteResult, ServerError> {
        let _ = (agent, params);
        Err(ServerError::Unknown { server: server.to_owned() })
    }

    /// Asks a server to tell of changes of a resource, as [`ServerEvent::ResourceUpdated`]; counted, so that one
    /// listener's farewell does not silence another.
    pub async fn subscribe(&self, agent: &AgentName, server: &str, uri: &str) -> Result<(), ServerError> {
        let _ = (agent, uri);
        Err(ServerError::Unknown { server: server.to_owned() })
    }

    /// Takes one [`McpServers::subscribe`] back.
    pub async fn unsubscribe(&self, agent: &AgentName, server: &str, uri: &str) -> Result<(), ServerError> {
        let _ = (agent, uri);
        Err(ServerError::Unknown { server: server.to_owned() })
    }

    /// Sets how much servers of the older protocol tell in their log messages.
    pub async fn set_log_level(&self, agent: &AgentName, level: LoggingLevel) {
        let _ = (agent, level);
    }

    /// Hears what changes at the agent's servers; a listener that lags should look at everything again.
    pub fn events(&self, agent: &AgentName) -> broadcast::Receiver<ServerEvent> {
        let _ = agent;
        broadcast::channel(1).1
    }

    /// Closes all connections and waits, for a bounded time, until nothing is left of them.
    pub async fn close(&self) {}
}
