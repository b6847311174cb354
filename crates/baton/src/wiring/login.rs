//! Login at an MCP server of an agent.

use super::{
    agents::{Wanted, load},
    kept, tools,
};
use crate::{config::Settings, failure::Failure};
use baton_ports::AgentSource as _;
use baton_toolhost::{LoginError, ServerLog, Target, expand};
use baton_types::{AgentName, ErrorCode, McpServer};

/// Runs a login; `show` receives the URL to visit. Tokens are stored below the data directory.
pub(crate) async fn login(
    settings: &Settings,
    agent: &str,
    server: &str,
    show: impl Fn(&str) + Send + Sync + 'static,
) -> Result<(), Failure> {
    let loaded = load(Wanted::all(settings))?;
    let name: AgentName = agent.into();
    if loaded.source.agent(&name).is_none() {
        return Err(Failure::new(ErrorCode::AGENT_NOT_FOUND, format!("there is no agent '{agent}' here"))
            .hint("Change to the directory that holds the agent, or name it with --agents."));
    }
    let kit = loaded.source.kit(&name);
    let Some(found) = kit.servers.iter().find(|known| known.name == server) else {
        let names: Vec<&str> = kit.servers.iter().map(|known| known.name.as_str()).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Err(Failure::new(ErrorCode::USAGE, format!("'{agent}' has no MCP server '{server}'; it has: {names}"))
            .hint("Run `baton tools list` to see the servers and their status."));
    };
    let get = |name: &str| kit.variables.0.get(name).cloned().or_else(|| std::env::var(name).ok());
    let expanded =
        expand(&found.transport, &get).map_err(|error| Failure::new(ErrorCode::SECRET_MISSING, error.to_string()))?;
    let expanded = McpServer { transport: expanded.transport, ..found.clone() };
    kept::prepare(&settings.data)?;
    let log = ServerLog::default();
    let target = Target { agent: &name, server: &expanded, log: &log };
    let done = baton_toolhost::login(&tools::remote(&settings.data)?, target, show).await;
    done.map_err(|error| refused(&error, server))
}

fn refused(error: &LoginError, server: &str) -> Failure {
    let message = format!("{server}: {error}");
    match error {
        LoginError::Store { .. } => {
            Failure::new(ErrorCode::JOURNAL_UNAVAILABLE, message).hint("Check that the data directory is writable.")
        }
        LoginError::Needed { .. } | LoginError::Failed { .. } => Failure::plain(crate::failure::Exit::Server, message)
            .hint(
                "Check the server's entry in the agent's definition; `baton tools list` shows the server's status.",
            ),
    }
}
