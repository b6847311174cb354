//! `baton mcp`: serves agents to MCP clients over stdio.

use crate::{
    bridge::{Bridge, BridgeEndpoint, LineOutput, ServerRediscovery, standard_lines},
    commands::connection_options::ConnectionOptions,
    config::{BatonSettings, ConfigOverrides},
    connect::BatonConnection,
    entries::DataStorage,
    failure::{CliError, Exit},
    screen::Screen,
    signals::StopRequests,
};
use baton_encoding::path_segment;
use baton_server::AgentRequirement;
use clap::Args;
use std::time::Duration;

/// Time limit for writing the last output lines.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// Options of `baton mcp`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton mcp                                     all agents: list_agents, call_agent
  baton mcp --agent weather                     one agent's prompt, tools and references
  baton mcp --agent weather --exported          only the tools that it exports
  baton mcp --manage                            create, change and delete agents: agent_create, ...
  baton mcp agents/ https://agent.example.com   only these agents, local and remote

In a client's configuration (Claude Code, Cursor and others):
  { \"mcpServers\": { \"baton\": { \"command\": \"baton\", \"args\": [\"mcp\"] } } }

If a server runs for the data directory, the command uses it, and reconnects after it was restarted.
Otherwise, or if you name agents, this process serves the agents itself and stores nothing, unless
--data names a directory. Changes of agents apply without a restart. An invalid agent is reported on
stderr and by list_agents; the others still work. stdout carries only the protocol. The command ends
when stdin is closed.")]
pub(crate) struct McpOptions {
    /// Agents to serve: directories (also as file://) and addresses of remote agents
    #[arg(value_name = "URI", conflicts_with = "server")]
    uris: Vec<String>,
    /// Serve the tools, prompt and references of this agent [default: tools to list and call all agents]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Serve only the tools that the agent exports
    #[arg(long, requires = "agent")]
    exported: bool,
    /// Serve tools that create, show, change and delete agents
    #[arg(long, conflicts_with = "agent")]
    manage: bool,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Forwards messages until stdin closes.
pub(crate) async fn run(options: McpOptions, screen: Screen, mut stop: StopRequests) -> Result<Exit, CliError> {
    let path = endpoint(&options);
    let (session, again) = find(options, screen).await?;
    let (output, written) = LineOutput::standard();
    let bridge = Bridge::new(BridgeEndpoint::new(session.client.clone(), path, again, screen), output, screen);
    let mut written = written;
    let ended = tokio::select! {
        () = bridge.clone().run(standard_lines()) => Exit::Ok,
        () = stop.first() => Exit::Interrupted,
        _ = &mut written => Exit::Ok,
    };
    bridge.end().await;
    drop(bridge);
    let _ = tokio::time::timeout(FLUSH_TIMEOUT, written).await;
    session.close().await;
    Ok(ended)
}

fn endpoint(options: &McpOptions) -> String {
    match (&options.agent, options.exported) {
        (None, _) if options.manage => "/mcp/manage".to_owned(),
        (None, _) => "/api/v1/mcp".to_owned(),
        (Some(agent), false) => format!("/agents/{}/mcp", path_segment(agent)),
        (Some(agent), true) => format!("/agents/{}/mcp/exported", path_segment(agent)),
    }
}

/// Session with the named server, the running server, or a server in this process.
async fn find(options: McpOptions, screen: Screen) -> Result<(BatonConnection, Option<ServerRediscovery>), CliError> {
    let McpOptions { uris, manage, connection: ConnectionOptions { server, token, data, config }, .. } = options;
    if let Some(url) = server {
        screen.print_stderr(&format!("baton mcp: using {url}"));
        return Ok((BatonConnection::connect(&url, token.as_deref())?, None));
    }
    let keep = if data.is_some() { DataStorage::DataDirectory } else { DataStorage::InMemory };
    let settings: BatonSettings = ConfigOverrides { config, data, ..ConfigOverrides::default() }.resolve()?;
    if uris.is_empty()
        && let Some(session) = BatonConnection::find_running(&settings.data, token.as_deref()).await?
    {
        screen.print_stderr(&format!("baton mcp: using {}", session.url.as_deref().unwrap_or_default()));
        return Ok((session, Some(ServerRediscovery { data: settings.data, token })));
    }
    let needs = if manage { AgentRequirement::Unchecked } else { AgentRequirement::Reachable };
    let session = BatonConnection::for_bridge(&settings, &uris, keep, needs, screen).await?;
    Ok((session, None))
}
