//! Starts the MCP servers of agents in advance and reports their status.

use crate::ServerHandle;
use baton_ports::{ServerState, ServerStatus};
use baton_toolhost::{McpServers, ServerEvent};
use baton_types::AgentName;
use std::{collections::BTreeSet, sync::Arc, time::Duration};
use tokio::sync::broadcast::{Receiver, error::RecvError};

/// Delay after which a server that is still starting is reported.
const SLOW_START_DELAY: Duration = Duration::from_secs(5);

/// Receives the status of an agent's MCP server.
type StatusObserver = Arc<dyn Fn(&AgentName, &ServerStatus) + Send + Sync>;

impl ServerHandle {
    /// Starts the MCP servers of all agents in the background. Each is reported once, when it is ready or has failed,
    /// and earlier if it is slow.
    pub fn warm_mcp_servers(&self, observer: impl Fn(&AgentName, &ServerStatus) + Send + Sync + 'static) {
        let parts = self.components();
        let servers = parts.tools.mcp().clone();
        let observer: StatusObserver = Arc::new(observer);
        // The Environment of a remote agent is contacted only when that agent requests tool calls.
        for agent in self.agents().into_iter().filter(|agent| !agent.is_peer() && agent.has_servers) {
            let name = agent.name.clone();
            if servers.statuses(&name).is_empty() {
                continue;
            }
            let reports = report_servers(servers.clone(), name.clone(), Arc::clone(&observer));
            servers.start_servers(&name);
            tokio::spawn(parts.stopping.clone().run_until_cancelled_owned(reports));
        }
    }
}

/// Reports each server of an agent when its state is known, and slow servers in advance.
async fn report_servers(servers: McpServers, agent: AgentName, observer: StatusObserver) {
    let mut events = servers.events(&agent);
    let mut reported_servers = BTreeSet::new();
    let slow = tokio::time::sleep(SLOW_START_DELAY);
    tokio::pin!(slow);
    let mut late = BTreeSet::new();
    loop {
        let statuses = servers.statuses(&agent);
        let open = |status: &&ServerStatus| matches!(status.state, ServerState::Idle | ServerState::Starting);
        for status in statuses.iter().filter(|status| !open(status)) {
            if reported_servers.insert(status.name.clone()) && status.state != ServerState::Disabled {
                observer(&agent, status);
            }
        }
        let unreported = || statuses.iter().filter(|status| !reported_servers.contains(&status.name));
        if unreported().next().is_none() {
            return;
        }
        if slow.is_elapsed() {
            for status in unreported() {
                if late.insert(status.name.clone()) {
                    observer(&agent, status);
                }
            }
        }
        tokio::select! {
            change = wait_for_change(&mut events) => if change.is_none() { return },
            () = &mut slow, if !slow.is_elapsed() => {}
        }
    }
}

/// Waits for a change of a server's state; none if the event channel is closed.
async fn wait_for_change(events: &mut Receiver<ServerEvent>) -> Option<()> {
    loop {
        match events.recv().await {
            Ok(ServerEvent::Status | ServerEvent::Tools) | Err(RecvError::Lagged(_)) => return Some(()),
            Ok(_) => {}
            Err(RecvError::Closed) => return None,
        }
    }
}
