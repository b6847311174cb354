//! Starts the MCP servers of agents in advance and reports their status.

use super::{baton::Baton, tools};
use crate::screen::{Screen, one_line};
use baton_ports::{ServerState, ServerStatus};
use baton_toolhost::{McpServers, ServerEvent};
use baton_types::AgentName;
use serde_json::json;
use std::{collections::BTreeSet, path::Path, time::Duration};
use tokio::sync::broadcast::{Receiver, error::RecvError};

/// Poll interval for new logins.
const LOGIN_POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Delay after which a server that is still starting is reported.
const SLOW_START_DELAY: Duration = Duration::from_secs(5);
/// Maximum characters shown of untrusted text.
const MAX_TEXT_CHARS: usize = 200;

impl Baton {
    /// Starts the MCP servers of all agents in the background; each is reported once, when it is ready or has failed.
    pub(crate) fn warm(&self, screen: Screen) {
        let servers = self.tools().mcp().clone();
        // The Environment of a remote agent is contacted only when that agent requests tool calls.
        for agent in self.agents().into_iter().filter(|agent| !agent.is_peer() && agent.has_servers) {
            let name = agent.name.clone();
            if servers.statuses(&name).is_empty() {
                continue;
            }
            let telling = report_servers(servers.clone(), name.clone(), screen);
            servers.start_servers(&name);
            tokio::spawn(self.stopping.clone().run_until_cancelled_owned(telling));
        }
    }

    /// Reconnects servers that need a login after a login was stored.
    pub(crate) fn watch_logins(&self, data: &Path) {
        let (servers, agents, folder) = (self.tools().mcp().clone(), self.agents.clone(), tools::logins(data));
        tokio::spawn(self.stopping.clone().run_until_cancelled_owned(async move {
            let mut looks = tokio::time::interval(LOGIN_POLL_INTERVAL);
            let mut last_change = None;
            loop {
                looks.tick().await;
                // A login replaces its file, which changes the modification time of the folder.
                let changed = tokio::fs::metadata(&folder).await.and_then(|about| about.modified()).ok();
                if std::mem::replace(&mut last_change, changed) == changed {
                    continue;
                }
                for agent in agents.listings().into_iter().filter(|agent| agent.has_servers) {
                    let waiting = servers.statuses(&agent.name).into_iter();
                    for server in waiting.filter(|server| server.state == ServerState::NeedsLogin) {
                        servers.reconnect(&agent.name, &server.name);
                    }
                }
            }
        }));
    }
}

/// Reports each server of an agent when its state is known, and slow servers in advance.
async fn report_servers(servers: McpServers, agent: AgentName, screen: Screen) {
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
                print_status(&agent, status, screen);
            }
        }
        let untold = || statuses.iter().filter(|status| !reported_servers.contains(&status.name));
        if untold().next().is_none() {
            return;
        }
        if slow.is_elapsed() {
            for status in untold() {
                if late.insert(status.name.clone()) {
                    print_status(&agent, status, screen);
                }
            }
        }
        tokio::select! {
            news = wait_for_change(&mut events) => if news.is_none() { return },
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

fn print_status(agent: &AgentName, status: &ServerStatus, screen: Screen) {
    let ServerStatus { name, state, tools, reason, hint, .. } = status;
    if screen.is_json() {
        let server = json!({
            "agent": agent, "name": name, "state": state.as_str(), "tools": tools, "reason": reason, "hint": hint,
        });
        screen.print(&json!({"mcp_server": server}).to_string());
        return;
    }
    let paint = screen.stderr_paint();
    let subject = format!("{}: MCP server {}", paint.name(agent.as_str()), one_line(name, MAX_TEXT_CHARS));
    let reason = one_line(reason.as_deref().unwrap_or("unknown reason"), MAX_TEXT_CHARS);
    match state {
        ServerState::Ready => {
            let count = format!("{tools} tool{}", if *tools == 1 { "" } else { "s" });
            screen.print_stderr(&format!("{subject} {} ({count})", paint.good("is ready")));
        }
        ServerState::Starting | ServerState::Idle => {
            screen.print_stderr(&format!("{subject} {} it has not answered yet", paint.warn("is still starting:")));
        }
        ServerState::NeedsLogin => screen.print_stderr(&format!("{subject} {} {reason}", paint.warn("needs a login:"))),
        _ => screen.print_stderr(&format!("{subject} {} {reason}", paint.bad("failed:"))),
    }
    if let Some(hint) = hint.as_ref().filter(|_| *state != ServerState::Ready) {
        screen.print_stderr(&format!("  hint: {}", one_line(hint, 2 * MAX_TEXT_CHARS)));
    }
}
