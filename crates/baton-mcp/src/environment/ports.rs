//! Where Environments get everything from.

use baton_ports::{AgentDesk, AgentSource, Clock, HandoffDesk, Ids, ToolHost};
use baton_toolhost::McpServers;
use std::sync::Arc;

/// Where Environments get everything from; cheap to clone.
#[derive(Clone)]
pub struct Ports {
    /// The agents and their kits.
    pub agents: Arc<dyn AgentSource>,
    /// Runs the tools of definitions.
    pub tools: Arc<dyn ToolHost>,
    /// The MCP servers of the agents.
    pub servers: McpServers,
    /// Asks agents for work.
    pub desk: Arc<dyn AgentDesk>,
    /// Decides about handoffs, keeps their records, and hands work over itself.
    pub handoffs: Arc<dyn HandoffDesk>,
    /// The time, for deadlines.
    pub clock: Arc<dyn Clock>,
    /// Fresh ids, for calls that are part of no task.
    pub ids: Arc<dyn Ids>,
}
