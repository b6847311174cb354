//! Whose tools, and on which Baton.

use crate::{
    commands::place::Place,
    config::{Chosen, Settings},
    connect::Session,
    failure::Failure,
    screen::Screen,
};
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
    /// The settings that hold for the agent's place.
    pub(super) fn settings(&self) -> Result<Settings, Failure> {
        let Place { data, config, .. } = self.place.clone();
        Chosen { config, data, agents: self.agents.clone(), ..Chosen::default() }.resolve()
    }

    /// A session with the Baton that has the agent.
    pub(super) async fn session(&self, screen: Screen) -> Result<Session, Failure> {
        let token = self.place.token.as_deref();
        match &self.place.server {
            Some(url) => Session::at(url, token),
            None => Session::find(&self.settings()?, token, screen).await,
        }
    }
}

/// A time as people write it.
pub(super) fn patience(text: &str) -> Result<Duration, String> {
    duration(text).ok_or_else(|| "write a number with a unit, such as 500ms or 5s".to_owned())
}
