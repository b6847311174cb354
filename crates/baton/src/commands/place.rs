//! Which Baton a command is for.

use crate::{
    config::{Chosen, Settings},
    connect::Session,
    failure::Failure,
};
use baton_peers::{SecretError, SecretRef};
use baton_types::ErrorCode;
use clap::Args;
use std::path::PathBuf;

/// The server that is named, else the one that owns the data directory.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Place {
    /// The server to talk to [default: the one that owns the data directory]
    #[arg(long, value_name = "URL", env = "BATON_SERVER")]
    pub(crate) server: Option<String>,
    /// The token to show to the server; its owner needs none
    #[arg(long, value_name = "TOKEN", env = "BATON_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// The data directory [default: .baton]
    #[arg(long, value_name = "DIR", env = "BATON_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// The configuration file [default: baton.yaml, if there is one]
    #[arg(long, value_name = "FILE", env = "BATON_CONFIG")]
    pub(crate) config: Option<PathBuf>,
}

/// Where a bearer token is, from the command line; what may be the token itself is not repeated.
pub(crate) fn bearer(written: Option<&str>) -> Result<Option<SecretRef>, Failure> {
    let parse = |text: &str| text.parse().map_err(|error: SecretError| error.to_string());
    written.map(parse).transpose().map_err(|message| {
        Failure::new(ErrorCode::USAGE, format!("--bearer: {message}"))
            .hint("Put the token into an environment variable or a file, and name that.")
    })
}

impl Place {
    /// The settings that hold there.
    pub(crate) fn settings(&self) -> Result<Settings, Failure> {
        Chosen { config: self.config.clone(), data: self.data.clone(), ..Chosen::default() }.resolve()
    }

    /// A session to manage that Baton with: it needs no agents to be there.
    pub(crate) async fn manage(&self) -> Result<Session, Failure> {
        match &self.server {
            Some(url) => Session::at(url, self.token.as_deref()),
            None => self.manage_with(&self.settings()?).await,
        }
    }

    /// The same for a command that has read the settings already.
    pub(crate) async fn manage_with(&self, settings: &Settings) -> Result<Session, Failure> {
        let token = self.token.as_deref();
        match &self.server {
            Some(url) => Session::at(url, token),
            None => Session::manage(settings, token).await,
        }
    }
}
