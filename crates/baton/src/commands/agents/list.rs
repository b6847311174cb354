//! `baton agents`: lists the agents of a server or of a directory.

use crate::{
    commands::place::Place,
    config::Chosen,
    connect::{Session, failure},
    failure::{Exit, Failure, diagnostic_json},
    screen::{Screen, one_line},
    wiring::{self, Loaded, Wanted},
};
use baton_types::{AgentListing, ErrorCode};
use baton_wire::api::AgentEntry;
use clap::Args;
use serde_json::json;
use std::{path::PathBuf, sync::Arc};

/// Options of `baton agents` without a subcommand.
#[derive(Args, Debug)]
pub(super) struct Listing {
    /// Agent directories, or directories that contain them [default: the agents of the running server]
    #[arg(value_name = "DIR_OR_FILE", conflicts_with = "server")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    place: Place,
}

/// Lists the agents; an invalid agent makes the command fail.
pub(super) async fn run(options: Listing, screen: Screen) -> Result<Exit, Failure> {
    let Listing { paths, place: Place { server, token, data, config } } = options;
    let ask = paths.is_empty();
    let settings = Chosen { config, data, agents: paths, ..Chosen::default() }.resolve()?;
    let session = match server {
        Some(url) => Some(Session::at(&url, token.as_deref())?),
        None if ask => Session::running(&settings.data, token.as_deref()).await?,
        None => None,
    };
    match session {
        Some(session) => served(&session, screen).await,
        None if ask => on_disk(wiring::known(&settings)?, screen),
        None => on_disk(wiring::load(Wanted::named(&settings))?, screen),
    }
}

async fn served(session: &Session, screen: Screen) -> Result<Exit, Failure> {
    let agents = session.client.agents().await.map_err(failure)?;
    if screen.is_json() {
        screen.print(&json!({"server": session.url, "agents": agents}).to_string());
        return Ok(Exit::Ok);
    }
    screen.say(&format!("served at {}", session.url.as_deref().unwrap_or_default()));
    let row = |agent: &AgentEntry| {
        [agent.name.clone(), agent.title.clone(), about(&agent.description, agent.remote.as_deref())]
    };
    let rows: Vec<_> = agents.iter().map(row).collect();
    table(&rows, screen);
    if rows.is_empty() {
        screen.say("no agents yet; create one with: baton agents create NAME --prompt \"...\"");
    }
    Ok(Exit::Ok)
}

fn on_disk(loaded: Loaded, screen: Screen) -> Result<Exit, Failure> {
    let broken = loaded.diagnostics.iter().any(baton_agentdir::Diagnostic::is_error);
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
        return Err(Failure::new(ErrorCode::AGENT_INVALID, message).at(loaded.diagnostics));
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
    let paint = screen.data_paint();
    for row in rows {
        let padded = format!("{:<name$}", row[0]);
        let about = one_line(&row[2], 160);
        screen.print(format!("{}  {:<title$}  {about}", paint.name(&padded), row[1]).trim_end());
    }
}
