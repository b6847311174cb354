//! `baton sessions save SESSION`.

use super::{Which, tell};
use crate::{
    commands::place::Place,
    config::Chosen,
    connect::{Session, failure},
    failure::{Exit, Failure},
    screen::Screen,
};
use clap::Args;
use std::path::PathBuf;

/// What `baton sessions save` is told.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  baton sessions save 0199...

The settings of the session are written into the agent's definition, where everything else stays as
it is, and hold for all its sessions from then on.")]
pub(super) struct Options {
    #[command(flatten)]
    which: Which,
    /// Agent directories to use when no server runs [default: the current directory]
    #[arg(long, value_name = "DIR_OR_FILE", num_args = 1..)]
    agents: Vec<PathBuf>,
}

/// Saves them.
pub(super) async fn run(options: Options, screen: Screen) -> Result<Exit, Failure> {
    let Options { which, agents } = options;
    let Place { server, token, data, config } = which.place.clone();
    let session = match server {
        Some(url) => Session::at(&url, token.as_deref())?,
        None => {
            let chosen = Chosen { config, data, agents, ..Chosen::default() };
            Session::find(&chosen.resolve()?, token.as_deref(), screen).await?
        }
    };
    let saved = session.client.save_session(which.name()).await;
    session.close().await;
    let saved = saved.map_err(failure)?;
    match (screen.is_json(), &saved.file) {
        (false, Some(file)) => screen.say(&format!("saved in {file}")),
        _ => tell(&saved, screen),
    }
    Ok(Exit::Ok)
}
