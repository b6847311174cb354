//! Whose tools, and on which Baton.

use crate::{commands::place::Place, config::Chosen, connect::Session, failure::Failure, screen::Screen};
use baton_agentdir::document::duration;
use clap::Args;
use std::{path::PathBuf, time::Duration};

/// Whose tools.
#[derive(Args, Debug)]
pub(super) struct Which {
    /// Whose tools
    pub(super) agent: String,
    #[command(flatten)]
    place: Place,
    /// Agent directories to use when no server runs [default: the current directory]
    #[arg(long, value_name = "DIR_OR_FILE", num_args = 1..)]
    agents: Vec<PathBuf>,
}

impl Which {
    /// A session with the Baton that has the agent.
    pub(super) async fn session(&self, screen: Screen) -> Result<Session, Failure> {
        let Place { server, token, data, config } = self.place.clone();
        if let Some(url) = server {
            return Session::at(&url, token.as_deref());
        }
        let chosen = Chosen { config, data, agents: self.agents.clone(), ..Chosen::default() };
        Session::find(&chosen.resolve()?, token.as_deref(), screen).await
    }
}

/// A time as people write it.
pub(super) fn patience(text: &str) -> Result<Duration, String> {
    duration(text).ok_or_else(|| "write a number with a unit, such as 500ms or 5s".to_owned())
}
