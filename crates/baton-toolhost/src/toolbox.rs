//! All kinds of tools behind one port.

mod mcp;
mod output;
mod questions;

use crate::{CallerServerHost, CommandTools, McpServers, ServerEvent};
use baton_ports::{BoxFuture, ChangeStream, ServerStatus, ToolHost, ToolInvocation, ToolOutcome, ToolOutput};
use baton_types::{AgentName, AgentSpec, CallerServerTool, Json, McpServer, McpTool, ToolRunner, ToolSpec};
use mcp::ToolAddress;
use std::{sync::Arc, time::Duration};
use tokio::sync::broadcast::error::RecvError;

/// Runs command tools, HTTP tools, native functions and the tools of MCP servers.
pub struct Toolbox {
    commands: CommandTools,
    servers: McpServers,
    http: Option<Arc<dyn ToolHost>>,
    native: Option<Arc<dyn ToolHost>>,
    caller_servers: Option<Arc<CallerServerHost>>,
}

impl Toolbox {
    /// A toolbox with command tools and these MCP servers.
    pub fn new(servers: McpServers) -> Self {
        Self { commands: CommandTools::new(), servers, http: None, native: None, caller_servers: None }
    }

    /// Runs HTTP tools with this host.
    #[must_use]
    pub fn with_http(mut self, http: Arc<dyn ToolHost>) -> Self {
        self.http = Some(http);
        self
    }

    /// Runs native functions with this host.
    #[must_use]
    pub fn with_native(mut self, native: Arc<dyn ToolHost>) -> Self {
        self.native = Some(native);
        self
    }

    /// Runs the tools of caller servers.
    #[must_use]
    pub fn with_caller_servers(mut self, caller_servers: Arc<CallerServerHost>) -> Self {
        self.caller_servers = Some(caller_servers);
        self
    }

    /// The caller servers.
    pub fn caller_servers(&self) -> Option<&Arc<CallerServerHost>> {
        self.caller_servers.as_ref()
    }

    /// Closes all connections to servers, within a timeout.
    pub async fn close(&self) {
        let close_caller_servers = async {
            if let Some(caller_servers) = &self.caller_servers {
                caller_servers.close().await;
            }
        };
        tokio::join!(self.servers.close(), close_caller_servers);
    }

    /// The MCP servers.
    pub fn mcp(&self) -> &McpServers {
        &self.servers
    }
}

impl ToolHost for Toolbox {
    fn call<'a>(&'a self, run: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
        match &run.tool.runner {
            ToolRunner::Command(_) => self.commands.call(run),
            ToolRunner::Http(_) => delegate(self.http.as_deref(), run),
            ToolRunner::Native => delegate(self.native.as_deref(), run),
            ToolRunner::Mcp(McpTool { server, tool }) => {
                Box::pin(mcp::call(&self.servers, run, ToolAddress { agent: &run.agent.name, server, tool }))
            }
            ToolRunner::Guest(tool) => match &self.caller_servers {
                Some(caller_servers) => Box::pin(call_caller_server(caller_servers, run, tool)),
                None => delegate(None, run),
            },
            ToolRunner::BuiltIn | ToolRunner::Caller => delegate(None, run),
        }
    }

    fn available_tools<'a>(&'a self, agent: &'a AgentSpec, max_wait: Duration) -> BoxFuture<'a, Vec<ToolSpec>> {
        Box::pin(async move {
            let offered = self.servers.tools(agent, max_wait).await;
            offered.into_iter().map(|offered| own_name(agent, offered.spec)).collect()
        })
    }

    fn denied_tools<'a>(&'a self, agent: &'a AgentSpec, max_wait: Duration) -> BoxFuture<'a, Vec<(String, McpTool)>> {
        Box::pin(self.servers.hidden_tools(agent, max_wait))
    }

    fn may_provide_tool(&self, agent: &AgentName, tool: &str) -> bool {
        self.servers.may_provide_tool(agent, tool)
    }

    fn servers(&self, agent: &AgentName) -> Vec<ServerStatus> {
        self.servers.statuses(agent)
    }

    fn changes(&self, agent: &AgentName) -> ChangeStream {
        let events = self.servers.events(agent);
        Box::pin(futures_util::stream::unfold(events, |mut events| async move {
            loop {
                match events.recv().await {
                    Ok(ServerEvent::Tools) | Err(RecvError::Lagged(_)) => return Some(((), events)),
                    Ok(_) => {}
                    Err(RecvError::Closed) => return None,
                }
            }
        }))
    }
}

/// Tools of a remote agent keep the names used by that agent; it has no other tools to conflict with.
fn own_name(agent: &AgentSpec, spec: ToolSpec) -> ToolSpec {
    match &spec.runner {
        ToolRunner::Mcp(tool) if agent.is_peer() && tool.server == McpServer::ENVIRONMENT => {
            ToolSpec { name: tool.tool.clone(), ..spec }
        }
        _ => spec,
    }
}

/// Calls a tool of a caller server, if its connection data is still in memory.
async fn call_caller_server(
    caller_servers: &CallerServerHost,
    run: ToolInvocation<'_>,
    tool: &CallerServerTool,
) -> ToolOutcome {
    let Some(agent) = caller_servers.find(run.principal, tool) else {
        return mcp::failed(format!(
            "{} was not run: the connection data of its server '{}' came with the request and is no longer available; tell the user \
             to send the request again",
            run.call.name, tool.server
        ));
    };
    mcp::call(caller_servers.servers(), run, ToolAddress { agent: &agent, server: &tool.server, tool: &tool.tool })
        .await
}

fn delegate<'a>(host: Option<&'a dyn ToolHost>, run: ToolInvocation<'a>) -> BoxFuture<'a, ToolOutcome> {
    match host {
        Some(host) => host.call(run),
        None => {
            let text = format!("{} was not run: this Baton has no way to run such a tool", run.tool.name);
            let output = ToolOutput { output: Json::string(&text), is_error: true };
            Box::pin(std::future::ready(ToolOutcome::Done(output)))
        }
    }
}
