//! `baton agents`: lists the agents of a server or of a directory.

use crate::{
    commands::connection_options::ConnectionOptions,
    config::{BatonSettings, ConfigOverrides},
    connect::{BatonConnection, client_failure},
    failure::{CliError, Exit, diagnostic_json},
    screen::{Screen, one_line},
};
use baton_api::AgentEntry;
use baton_server::AgentSummary;
use baton_types::{AgentListing, ErrorCode};
use clap::Args;
use serde_json::json;
use std::{path::PathBuf, sync::Arc};

/// Options of `baton agents` without a subcommand.
#[derive(Args, Debug)]
pub(super) struct AgentListOptions {
    /// Agent directories, or directories that contain them [default: the agents of the running server]
    #[arg(value_name = "DIR_OR_FILE", conflicts_with = "server")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Lists the agents; an invalid agent makes the command fail.
pub(super) async fn run(options: AgentListOptions, screen: Screen) -> Result<Exit, CliError> {
    let AgentListOptions { paths, connection: ConnectionOptions { server, token, data, config } } = options;
    let ask = paths.is_empty();
    let settings = ConfigOverrides { config, data, agents: paths, ..ConfigOverrides::default() }.resolve()?;
    let session = match server {
        Some(url) => Some(BatonConnection::connect(&url, token.as_deref())?),
        None if ask => BatonConnection::find_running(&settings.data, token.as_deref()).await?,
        None => None,
    };
    match session {
        Some(session) => list_served(&session, screen).await,
        None if ask => list_loaded(list_known_agents(&settings)?, screen),
        None => list_loaded(baton_server::list_local_agents(&settings.named_agent_options())?, screen),
    }
}

/// Local and remote agents that a server with these settings would serve. Sends no requests.
pub(in crate::commands) fn list_known_agents(settings: &BatonSettings) -> Result<AgentSummary, CliError> {
    Ok(baton_server::list_agents(&settings.agent_options(), &settings.peer_options())?)
}

async fn list_served(session: &BatonConnection, screen: Screen) -> Result<Exit, CliError> {
    let agents = session.client.agents().await.map_err(client_failure)?;
    if screen.is_json() {
        screen.print(&json!({"server": session.url, "agents": agents}).to_string());
        return Ok(Exit::Ok);
    }
    screen.print_stderr(&format!("served at {}", session.url.as_deref().unwrap_or_default()));
    let row = |agent: &AgentEntry| {
        [agent.name.clone(), agent.title.clone(), about(&agent.description, agent.remote.as_deref())]
    };
    let rows: Vec<_> = agents.iter().map(row).collect();
    table(&rows, screen);
    if rows.is_empty() {
        screen.print_stderr("no agents yet; create one with: baton agents create NAME --prompt \"...\"");
    }
    Ok(Exit::Ok)
}

fn list_loaded(loaded: AgentSummary, screen: Screen) -> Result<Exit, CliError> {
    let broken = loaded.diagnostics.iter().any(baton_document::Diagnostic::is_error);
    if screen.is_json() {
        let agents: Vec<_> = loaded
            .agents
            .iter()
            .map(|agent| {
                let mut entry = json!({"name": agent.name, "title": agent.title, "description": agent.description});
                if let Some(url) = agent.address.as_deref() {
                    entry["remote"] = url.into();
                }
                entry
            })
            .collect();
        let diagnostics: Vec<_> = loaded.diagnostics.iter().map(diagnostic_json).collect();
        screen.print(&json!({"server": null, "agents": agents, "diagnostics": diagnostics}).to_string());
        return Ok(if broken { Exit::Usage } else { Exit::Ok });
    }
    let row = |agent: &Arc<AgentListing>| {
        [agent.name.to_string(), agent.title.clone(), about(&agent.description, agent.address.as_deref())]
    };
    let rows: Vec<_> = loaded.agents.iter().map(row).collect();
    table(&rows, screen);
    if broken {
        let message = "some agents cannot be served";
        return Err(CliError::new(ErrorCode::AGENT_INVALID, message).with_diagnostics(loaded.diagnostics));
    }
    for diagnostic in &loaded.diagnostics {
        screen.diagnostic(diagnostic);
    }
    Ok(Exit::Ok)
}

/// Description of an agent, with the address of a remote one.
fn about(description: &str, remote: Option<&str>) -> String {
    match remote {
        Some(url) => format!("[remote: {url}] {description}"),
        None => description.to_owned(),
    }
}

fn table(rows: &[[String; 3]], screen: Screen) {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (name, title) = (width(0), width(1));
    let paint = screen.stdout_paint();
    for row in rows {
        let padded = format!("{:<name$}", row[0]);
        let about = one_line(&row[2], 160);
        screen.print(format!("{}  {:<title$}  {about}", paint.name(&padded), row[1]).trim_end());
    }
}
