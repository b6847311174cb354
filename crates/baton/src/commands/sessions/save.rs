//! `baton sessions save`.

use super::{SessionSelector, print_settings};
use crate::{
    commands::connection_options::ConnectionOptions,
    config::ConfigOverrides,
    connect::{BatonConnection, client_failure},
    failure::{CliError, Exit},
    screen::Screen,
};
use clap::Args;
use std::path::PathBuf;

/// Options of `baton sessions save`.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions save 0199...

Writes the settings of the session to the agent's definition and leaves the rest of it unchanged.
From then on they apply to all sessions of the agent.")]
pub(super) struct SessionSaveOptions {
    #[command(flatten)]
    selector: SessionSelector,
    /// Agent directories to use when no server runs [default: the current directory]
    #[arg(long, value_name = "DIR_OR_FILE", num_args = 1..)]
    agents: Vec<PathBuf>,
}

/// Saves the settings.
pub(super) async fn run(options: SessionSaveOptions, screen: Screen) -> Result<Exit, CliError> {
    let SessionSaveOptions { selector, agents } = options;
    let ConnectionOptions { server, token, data, config } = selector.connection.clone();
    let session = match server {
        Some(url) => BatonConnection::connect(&url, token.as_deref())?,
        None => {
            let chosen = ConfigOverrides { config, data, agents, ..ConfigOverrides::default() };
            BatonConnection::find(&chosen.resolve()?, token.as_deref(), screen).await?
        }
    };
    let saved = session.client.save_session(selector.name()).await;
    session.close().await;
    let saved = saved.map_err(client_failure)?;
    match (screen.is_json(), &saved.file) {
        (false, Some(file)) => screen.print_stderr(&format!("saved in {file}")),
        _ => print_settings(&saved, screen),
    }
    Ok(Exit::Ok)
}
