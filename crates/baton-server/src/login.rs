//! Login at an MCP server of an agent.

use crate::{
    AgentOptions, ServerError,
    agents::{LoadedAgents, load, load_failure},
    persistence, tools,
};
use baton_model_registry::EnvironmentVariables;
use baton_ports::AgentSource as _;
use baton_toolhost::{ConnectTarget, LoginError, ServerLog, expand};
use baton_types::{AgentName, McpServer};
use std::path::Path;

/// A login at an MCP server of an agent.
pub struct McpLogin<'a> {
    /// The local agents.
    pub agents: &'a AgentOptions,
    /// The agent.
    pub agent: AgentName,
    /// Name of the server in the agent's definition.
    pub server: &'a str,
    /// Data directory that stores the tokens.
    pub data: &'a Path,
    /// Variables that the definition refers to.
    pub environment: &'a EnvironmentVariables,
}

impl McpLogin<'_> {
    /// Runs the login; `show` receives the URL to visit.
    pub async fn run(self, show: impl Fn(&str) + Send + Sync + 'static) -> Result<(), ServerError> {
        let Self { agents, agent: name, server, data, environment } = self;
        let LoadedAgents { source, diagnostics, error, .. } = load(agents)?;
        if let Some(error) = error {
            return Err(load_failure(error, diagnostics));
        }
        if source.agent(&name).is_none() {
            return Err(ServerError::UnknownAgent(name));
        }
        let resources = source.agent_resources(&name);
        let Some(found) = resources.servers.iter().find(|entry| entry.name == server) else {
            let names: Vec<&str> = resources.servers.iter().map(|entry| entry.name.as_str()).collect();
            let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            return Err(ServerError::UnknownMcpServer { agent: name, server: server.to_owned(), known });
        };
        let get = |name: &str| resources.variables.0.get(name).cloned().or_else(|| environment.get(name));
        let expanded = expand(&found.transport, &get).map_err(|error| ServerError::Secret(error.to_string()))?;
        let expanded = McpServer { transport: expanded.transport, ..found.clone() };
        persistence::prepare(data)?;
        let log = ServerLog::default();
        let target = ConnectTarget { agent: &name, server: &expanded, log: &log };
        let login = baton_toolhost::login(&tools::remote(Some(data))?, target, show).await;
        login.map_err(|error| login_failure(&error, server))
    }
}

fn login_failure(error: &LoginError, server: &str) -> ServerError {
    match error {
        LoginError::Store { .. } => ServerError::LoginStorage(format!("{server}: {error}")),
        LoginError::Needed { .. } | LoginError::Failed { .. } => {
            ServerError::Login { server: server.to_owned(), reason: error.to_string() }
        }
    }
}
