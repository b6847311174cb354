//! Options that select the server or data directory of a command.

use crate::{
    config::{BatonSettings, ConfigOverrides},
    connect::BatonConnection,
    error_codes,
    failure::CliError,
};
use baton_peers::{SecretError, SecretRef};
use clap::Args;
use std::path::PathBuf;

/// Connection options: an explicit server, or the server that owns the data directory.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct ConnectionOptions {
    /// Address of the server [default: the server that owns the data directory]
    #[arg(long, value_name = "URL", env = "BATON_SERVER")]
    pub(crate) server: Option<String>,
    /// Token for the server; not needed by the owner of the server
    #[arg(long, value_name = "TOKEN", env = "BATON_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// Data directory [default: .baton]
    #[arg(long, value_name = "DIR", env = "BATON_DATA")]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file [default: baton.yaml, if it exists]
    #[arg(long, value_name = "FILE", env = "BATON_CONFIG")]
    pub(crate) config: Option<PathBuf>,
}

/// Parses the reference to a bearer token. The error never quotes the text, because it may be the token itself.
pub(crate) fn parse_bearer(written: Option<&str>) -> Result<Option<SecretRef>, CliError> {
    let parse = |text: &str| text.parse().map_err(|error: SecretError| error.to_string());
    written.map(parse).transpose().map_err(|message| {
        CliError::new(error_codes::USAGE, format!("--bearer: {message}"))
            .hint("Store the token in an environment variable or a file, and pass env://NAME or file://PATH.")
    })
}

impl ConnectionOptions {
    /// Settings for these options.
    pub(crate) fn settings(&self) -> Result<BatonSettings, CliError> {
        ConfigOverrides { config: self.config.clone(), data: self.data.clone(), ..ConfigOverrides::default() }.resolve()
    }

    /// Management session; works without any agents.
    pub(crate) async fn management_session(&self) -> Result<BatonConnection, CliError> {
        match &self.server {
            Some(url) => BatonConnection::connect(url, self.token.as_deref()),
            None => self.management_session_with(&self.settings()?).await,
        }
    }

    /// Management session for a command that has already read the settings.
    pub(crate) async fn management_session_with(&self, settings: &BatonSettings) -> Result<BatonConnection, CliError> {
        let token = self.token.as_deref();
        match &self.server {
            Some(url) => BatonConnection::connect(url, token),
            None => BatonConnection::manage(settings, token).await,
        }
    }
}
