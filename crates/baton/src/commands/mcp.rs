//! `baton mcp`: agents for MCP clients that start programs, on the standard streams.

use crate::{
    bridge::{Again, Bridge, Output, Reach, standard_lines},
    commands::place::Place,
    config::{Chosen, Settings},
    connect::Session,
    failure::{Exit, Failure},
    screen::Screen,
    signals::StopRequests,
    wiring::{Keep, Needs},
};
use baton_wire::path_segment;
use clap::Args;
use std::time::Duration;

/// How long the last lines may take to be written.
const LAST_LINES: Duration = Duration::from_secs(1);

/// What `baton mcp` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton mcp                                     all agents: list_agents, call_agent
  baton mcp --agent weather                     one agent's prompt, tools and references
  baton mcp --agent weather --exported          only the tools that it offers to others
  baton mcp --manage                            make, change and delete agents: agent_create and so on
  baton mcp agents/ https://agent.example.com   these agents only, here and elsewhere

In a client's configuration (Claude Code, Cursor and others):
  { \"mcpServers\": { \"baton\": { \"command\": \"baton\", \"args\": [\"mcp\"] } } }

The running server of the data directory is used when there is one, and found again after it was
restarted. Otherwise, and always when agents are named, this process serves them itself and keeps
nothing when it ends, unless --data names a directory. Agents that change are noticed without a
restart; an entry that cannot be used is named on stderr and by list_agents, and the others work.
stdout carries the protocol only. The end of stdin ends everything.")]
pub(crate) struct Options {
    /// Agents to serve: directories (also as file://) and addresses of agents elsewhere
    #[arg(value_name = "URI", conflicts_with = "server")]
    uris: Vec<String>,
    /// The agent whose own tools, prompt and references are offered [default: the way to all agents]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only the tools that the agent exports
    #[arg(long, requires = "agent")]
    exported: bool,
    /// Tools that make, show, change and delete agents
    #[arg(long, conflicts_with = "agent")]
    manage: bool,
    #[command(flatten)]
    place: Place,
}

/// Carries messages until stdin ends.
pub(crate) async fn run(options: Options, screen: Screen, mut stop: StopRequests) -> Result<Exit, Failure> {
    let path = endpoint(&options);
    let (session, again) = find(options, screen).await?;
    let (output, written) = Output::standard();
    let bridge = Bridge::new(Reach::new(session.client.clone(), path, again, screen), output, screen);
    let mut written = written;
    let ended = tokio::select! {
        () = bridge.clone().run(standard_lines()) => Exit::Ok,
        () = stop.first() => Exit::Interrupted,
        _ = &mut written => Exit::Ok,
    };
    bridge.end().await;
    drop(bridge);
    let _ = tokio::time::timeout(LAST_LINES, written).await;
    session.close().await;
    Ok(ended)
}

fn endpoint(options: &Options) -> String {
    match (&options.agent, options.exported) {
        (None, _) if options.manage => "/mcp/manage".to_owned(),
        (None, _) => "/api/v1/mcp".to_owned(),
        (Some(agent), false) => format!("/agents/{}/mcp", path_segment(agent)),
        (Some(agent), true) => format!("/agents/{}/mcp/exported", path_segment(agent)),
    }
}

/// The Baton that was named, the one that runs, or one in this process.
async fn find(options: Options, screen: Screen) -> Result<(Session, Option<Again>), Failure> {
    let Options { uris, manage, place: Place { server, token, data, config }, .. } = options;
    if let Some(url) = server {
        screen.say(&format!("baton mcp: speaking to {url}"));
        return Ok((Session::at(&url, token.as_deref())?, None));
    }
    let keep = if data.is_some() { Keep::All } else { Keep::Nothing };
    let settings: Settings = Chosen { config, data, ..Chosen::default() }.resolve()?;
    if uris.is_empty()
        && let Some(session) = Session::running(&settings.data, token.as_deref()).await?
    {
        screen.say(&format!("baton mcp: speaking to {}", session.url.as_deref().unwrap_or_default()));
        return Ok((session, Some(Again { data: settings.data, token })));
    }
    let needs = if manage { Needs::Nobody } else { Needs::Agents };
    let session = Session::for_bridge(&settings, &uris, keep, needs, screen).await?;
    Ok((session, None))
}
