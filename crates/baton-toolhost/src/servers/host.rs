//! The servers of all agents, synchronized with the agents' definitions.

use super::{
    HostSettings, ServerError, ServerEvent, ServerItem,
    entry::McpServerEntry,
    held_calls::HeldCalls,
    lists::prefix,
    names::{NameTable, may_have_prefix},
};
use crate::{ConnectorRegistry, TransportKind};
use baton_ports::{AgentSource, ServerStatus};
use baton_types::{AgentName, AgentResources, McpServer};
use futures_util::StreamExt as _;
use parking_lot::Mutex;
use rmcp::model::ServerCapabilities;
use std::{
    collections::HashMap,
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::sync::broadcast;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Maximum lag of an event subscriber before it must refresh everything.
const MAX_EVENTS: usize = 256;
/// Total time limit for closing.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// The MCP servers of all agents; clones share them, and dropping the last clone closes them.
#[derive(Clone)]
pub struct McpServers {
    pub(super) inner: Arc<McpServersInner>,
}

pub(super) struct McpServersInner {
    agents: Arc<dyn AgentSource>,
    connectors: ConnectorRegistry,
    pub(super) settings: HostSettings,
    by_agent: Mutex<HashMap<AgentName, Arc<AgentServers>>>,
    pub(super) held: Arc<HeldCalls>,
    _closes: DropGuard,
}

/// The servers of one agent.
pub(super) struct AgentServers {
    agent: AgentName,
    state: Mutex<AgentServersState>,
    pub(super) tool_names: Mutex<NameTable>,
    pub(super) prompt_names: Mutex<NameTable>,
    events: broadcast::Sender<ServerEvent>,
}

#[derive(Default)]
struct AgentServersState {
    resources: Option<Arc<AgentResources>>,
    entries: Vec<Arc<McpServerEntry>>,
}

impl McpServers {
    /// Servers for the agents of this source; none is started yet. Must be called within a tokio runtime.
    pub fn new(agents: Arc<dyn AgentSource>, connectors: ConnectorRegistry, settings: HostSettings) -> Self {
        let closed = CancellationToken::new();
        let mut changes = agents.changes();
        let inner = Arc::new(McpServersInner {
            agents,
            connectors,
            settings,
            by_agent: Mutex::default(),
            held: Arc::default(),
            _closes: closed.clone().drop_guard(),
        });
        let watched = Arc::downgrade(&inner);
        tokio::spawn(
            closed.run_until_cancelled_owned(
                async move { while changes.next().await.is_some() && sync_all(&watched) {} },
            ),
        );
        Self { inner }
    }

    /// Starts the agent's servers without waiting.
    pub fn start_servers(&self, agent: &AgentName) {
        self.agent_servers(agent).entries().iter().for_each(|entry| entry.request_start());
    }

    /// Statuses of the agent's servers, in the order of its definition.
    pub fn statuses(&self, agent: &AgentName) -> Vec<ServerStatus> {
        self.agent_servers(agent).entries().iter().map(|entry| entry.status()).collect()
    }

    /// Whether a server that is starting could provide a tool exposed by this name.
    pub fn may_provide_tool(&self, agent: &AgentName, tool: &str) -> bool {
        self.agent_servers(agent).entries().iter().any(|entry| {
            let server = entry.server();
            // The names of tools of a remote agent have no prefix.
            let is_possible = server.name == McpServer::ENVIRONMENT || may_have_prefix(tool, prefix(&server));
            entry.is_starting() && is_possible
        })
    }

    /// Retries a server immediately, for example after a login or a fix.
    pub fn reconnect(&self, agent: &AgentName, server: &str) {
        if let Ok(entry) = self.entry(agent, server) {
            entry.retry_now();
        }
    }

    /// Capabilities of each ready server.
    pub fn capabilities(&self, agent: &AgentName) -> Vec<ServerItem<ServerCapabilities>> {
        let entries = self.agent_servers(agent).entries();
        let ready = entries.iter().filter_map(|entry| {
            let connection = entry.connection_state().connection?;
            Some(ServerItem { server: entry.server().name.clone(), item: connection.info().capabilities.clone() })
        });
        ready.collect()
    }

    /// Subscribes to events of the agent's servers; a subscriber that lags should refresh everything.
    pub fn events(&self, agent: &AgentName) -> broadcast::Receiver<ServerEvent> {
        self.agent_servers(agent).events.subscribe()
    }

    /// Number of calls that wait for answers.
    pub fn held_call_count(&self) -> usize {
        self.inner.held.len()
    }

    /// Closes all connections and waits, within a timeout, until they are gone.
    pub async fn close(&self) {
        self.inner.held.clear();
        let agents: Vec<_> = self.inner.by_agent.lock().drain().map(|(_, servers)| servers).collect();
        let tasks: Vec<_> =
            agents.iter().flat_map(|servers| servers.entries()).filter_map(|entry| entry.close()).collect();
        let _ = tokio::time::timeout(CLOSE_TIMEOUT, futures_util::future::join_all(tasks)).await;
    }

    /// The agent's servers by its current definition.
    pub(super) fn agent_servers(&self, agent: &AgentName) -> Arc<AgentServers> {
        self.inner.agent_servers(agent)
    }

    pub(super) fn entry(&self, agent: &AgentName, server: &str) -> Result<Arc<McpServerEntry>, ServerError> {
        let entries = self.agent_servers(agent).entries();
        let found = entries.into_iter().find(|entry| entry.server().name == server);
        found.ok_or_else(|| ServerError::Unknown { server: server.to_owned() })
    }
}

impl McpServersInner {
    fn agent_servers(&self, agent: &AgentName) -> Arc<AgentServers> {
        let existing = self.by_agent.lock().get(agent).cloned();
        let servers = existing.unwrap_or_else(|| {
            let fresh = Arc::new(AgentServers::new(agent));
            // Requests for unknown agents must not grow the table.
            if !self.agents.has(agent) {
                return fresh;
            }
            Arc::clone(self.by_agent.lock().entry(agent.clone()).or_insert(fresh))
        });
        self.sync(&servers);
        servers
    }

    /// Applies the definition: servers with unchanged connection settings keep their connection, the others are closed,
    /// and new ones start on demand.
    fn sync(&self, servers: &AgentServers) {
        let resources = self.agents.agent_resources(&servers.agent);
        let mut state = servers.state.lock();
        let is_same =
            |current: &AgentResources| current.servers == resources.servers && current.variables == resources.variables;
        if state.resources.as_ref().is_some_and(|current| Arc::ptr_eq(current, &resources) || is_same(current)) {
            state.resources = Some(resources);
            return;
        }
        let is_first = state.resources.is_none();
        let mut old = std::mem::take(&mut state.entries);
        for server in &resources.servers {
            let entry = match old.iter().position(|entry| entry.is_compatible(server)) {
                Some(at) => old.swap_remove(at),
                None => Arc::new(McpServerEntry::new(
                    &servers.agent,
                    server,
                    self.connectors.get(TransportKind::from_transport(&server.transport)),
                    self.settings.clone(),
                    servers.events.clone(),
                )),
            };
            entry.update(server, &resources.variables);
            state.entries.push(entry);
        }
        for removed in old {
            let _ = removed.close();
        }
        for names in [&servers.tool_names, &servers.prompt_names] {
            names.lock().retain_servers(|server| resources.servers.iter().any(|configured| configured.name == server));
        }
        state.resources = Some(resources);
        drop(state);
        if !is_first {
            for event in [ServerEvent::Status, ServerEvent::Tools, ServerEvent::Prompts, ServerEvent::Resources] {
                let _ = servers.events.send(event);
            }
        }
    }
}

impl AgentServers {
    fn new(agent: &AgentName) -> Self {
        Self {
            agent: agent.clone(),
            state: Mutex::default(),
            tool_names: Mutex::default(),
            prompt_names: Mutex::default(),
            events: broadcast::Sender::new(MAX_EVENTS),
        }
    }

    /// In the order of the definition.
    pub(super) fn entries(&self) -> Vec<Arc<McpServerEntry>> {
        self.state.lock().entries.clone()
    }

    /// Starts all servers and waits up to `max_wait`; for required servers, at least their startup timeout.
    pub(super) async fn wait_settled(&self, max_wait: Duration) {
        let entries = self.entries();
        entries.iter().for_each(|entry| entry.request_start());
        let waits = entries.iter().map(|entry| {
            let server = entry.server();
            let max_wait = if server.required { server.timeouts.startup.max(max_wait) } else { max_wait };
            entry.wait_settled(max_wait)
        });
        futures_util::future::join_all(waits).await;
    }
}

/// Synchronizes every known agent; false when the servers are gone.
fn sync_all(inner: &Weak<McpServersInner>) -> bool {
    let Some(inner) = inner.upgrade() else { return false };
    let all: Vec<_> = inner.by_agent.lock().values().cloned().collect();
    all.iter().for_each(|servers| inner.sync(servers));
    // Removes agents that are gone and have no servers left.
    let is_used = |servers: &AgentServers| !servers.state.lock().entries.is_empty();
    inner.by_agent.lock().retain(|agent, servers| is_used(servers) || inner.agents.has(agent));
    true
}
