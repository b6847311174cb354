//! Login at an MCP server of an agent.

use super::{
    agents::{AgentSelection, load},
    persistence, tools,
};
use crate::{config::BatonSettings, failure::CliError};
use baton_ports::AgentSource as _;
use baton_toolhost::{ConnectTarget, LoginError, ServerLog, expand};
use baton_types::{AgentName, ErrorCode, McpServer};

/// Runs a login; `show` receives the URL to visit. Tokens are stored below the data directory.
pub(crate) async fn login(
    settings: &BatonSettings,
    agent: &str,
    server: &str,
    show: impl Fn(&str) + Send + Sync + 'static,
) -> Result<(), CliError> {
    let loaded = load(AgentSelection::all(settings))?;
    let name: AgentName = agent.into();
    if loaded.source.agent(&name).is_none() {
        return Err(CliError::new(ErrorCode::AGENT_NOT_FOUND, format!("there is no agent '{agent}' here"))
            .hint("Change to the directory that holds the agent, or name it with --agents."));
    }
    let resources = loaded.source.agent_resources(&name);
    let Some(found) = resources.servers.iter().find(|entry| entry.name == server) else {
        let names: Vec<&str> = resources.servers.iter().map(|entry| entry.name.as_str()).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Err(CliError::new(
            ErrorCode::USAGE,
            format!("'{agent}' has no MCP server '{server}'; it has: {names}"),
        )
        .hint("Run `baton tools list` to see the servers and their status."));
    };
    let get = |name: &str| resources.variables.0.get(name).cloned().or_else(|| std::env::var(name).ok());
    let expanded =
        expand(&found.transport, &get).map_err(|error| CliError::new(ErrorCode::SECRET_MISSING, error.to_string()))?;
    let expanded = McpServer { transport: expanded.transport, ..found.clone() };
    persistence::prepare(&settings.data)?;
    let log = ServerLog::default();
    let target = ConnectTarget { agent: &name, server: &expanded, log: &log };
    let done = baton_toolhost::login(&tools::remote(&settings.data)?, target, show).await;
    done.map_err(|error| login_failure(&error, server))
}

fn login_failure(error: &LoginError, server: &str) -> CliError {
    let message = format!("{server}: {error}");
    match error {
        LoginError::Store { .. } => {
            CliError::new(ErrorCode::JOURNAL_UNAVAILABLE, message).hint("Check that the data directory is writable.")
        }
        LoginError::Needed { .. } | LoginError::Failed { .. } => {
            CliError::without_code(crate::failure::Exit::Server, message).hint(
                "Check the server's entry in the agent's definition; `baton tools list` shows the server's status.",
            )
        }
    }
}
