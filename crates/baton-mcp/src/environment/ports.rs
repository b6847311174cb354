//! Ports used by Environments.

use baton_ports::{AgentInvoker, AgentSource, HandoffService, ToolHost};
use baton_toolhost::McpServers;
use baton_types::{Clock, IdGenerator};
use std::sync::Arc;

/// Ports used by Environments; cheap to clone.
#[derive(Clone)]
pub struct EnvironmentPorts {
    /// Agent definitions and their resources.
    pub agents: Arc<dyn AgentSource>,
    /// Runs tools of definitions.
    pub tools: Arc<dyn ToolHost>,
    /// MCP servers of the agents.
    pub servers: McpServers,
    /// Invokes agents.
    pub invoker: Arc<dyn AgentInvoker>,
    /// Authorizes handoffs, keeps their records, and performs direct handoffs.
    pub handoffs: Arc<dyn HandoffService>,
    /// Clock for deadlines.
    pub clock: Arc<dyn Clock>,
    /// Id generator for calls that belong to no task.
    pub ids: Arc<dyn IdGenerator>,
}
