//! `baton agents show`: one agent in detail.

use super::details;
use crate::{
    commands::connection_options::ConnectionOptions,
    connect::client_failure,
    failure::{CliError, Exit},
    remote_agents,
    screen::Screen,
};
use clap::Args;
use serde_json::json;

/// Options of `baton agents show`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton agents show weather                          an agent of the running server
  baton agents show https://weather.example.com      a remote agent, before you add it
  baton agents show weather --json | jq .remote.endpoint")]
pub(super) struct AgentShowOptions {
    /// Name of the agent, or the address of its card
    #[arg(value_name = "NAME_OR_URL")]
    agent: String,
    #[command(flatten)]
    connection: ConnectionOptions,
}

/// Names are resolved by the server; addresses are fetched by this process.
pub(super) async fn run(options: AgentShowOptions, screen: Screen) -> Result<Exit, CliError> {
    let AgentShowOptions { agent, connection } = options;
    let shown = match remote_agents::is_address(&agent) {
        true => remote_agents::discover(&agent, &connection.settings()?).await?,
        false => {
            let session = connection.management_session().await?;
            let shown = session.client.agent(&agent).await;
            session.close().await;
            shown.map_err(client_failure)?
        }
    };
    match screen.is_json() {
        true => screen.print(&json!(shown).to_string()),
        false => details::print(&shown, screen),
    }
    Ok(Exit::Ok)
}
