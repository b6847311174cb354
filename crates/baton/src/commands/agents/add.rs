//! `baton agents add`: registers a remote agent.

use super::details;
use crate::{
    commands::connection_options::{self, ConnectionOptions},
    config::resolve_secret_path,
    connect::client_failure,
    error_codes,
    failure::{CliError, Exit},
    screen::Screen,
};
use baton_api::AddAgent;
use clap::Args;
use serde_json::json;
use std::env;

/// Options of `baton agents add`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton agents add https://weather.example.com
  baton agents add http://127.0.0.1:8701/agents/weather/ --name weather
  baton agents add https://weather.example.com --bearer env://WEATHER_TOKEN
  baton run weather \"Will it rain?\"           ask it like a local agent

URL is the address of the agent card, or the base address of /.well-known/agent-card.json. Tasks of
a remote agent are durable like all others: they survive a crash on either side. Local agents can
hand off work to it if their agent.yaml lists it under handoffs. To use other credentials than a
bearer token (API key, OAuth2, client certificate) or to trust a signer, configure the agent under
peers in baton.yaml.")]
pub(super) struct AgentAddOptions {
    /// Address of the agent card, or its base address
    url: String,
    /// Local name of the agent [default: the name in its card]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// List the agent in this server's catalog, /.well-known/ai-catalog.json
    #[arg(long)]
    listed: bool,
    /// Bearer token for the agent: env://NAME or file://PATH, resolved on the server
    #[arg(long, value_name = "REF")]
    bearer: Option<String>,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Adds the agent and prints its details.
pub(super) async fn run(options: AgentAddOptions, screen: Screen) -> Result<Exit, CliError> {
    let AgentAddOptions { url, name, listed, bearer: written, connection } = options;
    let here = env::current_dir().map_err(|error| {
        CliError::new(error_codes::USAGE, format!("cannot determine the current directory: {error}"))
    })?;
    // The working directory of the server may differ, so paths are made absolute here.
    let bearer = connection_options::parse_bearer(written.as_deref())?
        .map(|bearer| resolve_secret_path(&bearer, &here).to_string());
    let shows_none = bearer.is_none();
    let session = connection.management_session().await?;
    let added = session.client.add_agent(&AddAgent { url, name, listed, bearer }).await;
    session.close().await;
    let added = added.map_err(client_failure)?;
    if screen.is_json() {
        screen.print(&json!(added).to_string());
        return Ok(Exit::Ok);
    }
    details::print(&added, screen);
    screen.print_stderr(&format!("added {}; ask it with: baton run {} \"...\"", added.name, added.name));
    if shows_none && added.remote.is_some_and(|remote| !remote.security.is_empty()) {
        screen.print_stderr("  it requires credentials: remove it and add it again with --bearer, or configure it under peers in baton.yaml");
    }
    Ok(Exit::Ok)
}
