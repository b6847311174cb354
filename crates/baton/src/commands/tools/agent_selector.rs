//! Options that select the agent and its server.

use crate::{
    commands::connection_options::ConnectionOptions,
    config::ConfigOverrides,
    connect::{BatonConnection, client_failure},
    failure::CliError,
    screen::Screen,
};
use baton_api::{ServerEntry, ToolList};
use baton_document::duration;
use clap::Args;
use std::{path::PathBuf, time::Duration};
use tokio::time::Instant;

/// Server-side wait of one poll.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Options that identify an agent.
#[derive(Args, Debug)]
pub(super) struct AgentSelector {
    /// Name of the agent
    pub(super) agent: String,
    #[command(flatten)]
    connection: ConnectionOptions,
    /// Agent directories to use when no server runs [default: the current directory]
    #[arg(long, value_name = "DIR_OR_FILE", num_args = 1..)]
    agents: Vec<PathBuf>,
}

impl AgentSelector {
    /// Session with the server of the agent.
    pub(super) async fn session(&self, screen: Screen) -> Result<BatonConnection, CliError> {
        let ConnectionOptions { server, token, data, config } = self.connection.clone();
        if let Some(url) = server {
            return BatonConnection::connect(&url, token.as_deref());
        }
        let chosen = ConfigOverrides { config, data, agents: self.agents.clone(), ..ConfigOverrides::default() };
        BatonConnection::find(&chosen.resolve()?, token.as_deref(), screen).await
    }

    /// Polls the tool list until `enough` is true, no server is starting, or `wait` has passed.
    pub(super) async fn tools(
        &self,
        session: &BatonConnection,
        wait: Duration,
        enough: impl Fn(&ToolList) -> bool,
    ) -> Result<ToolList, CliError> {
        let began = Instant::now();
        let mut look = Duration::ZERO;
        loop {
            let list = session.client.tools(&self.agent, look).await.map_err(client_failure)?;
            look = POLL_INTERVAL.min(wait.saturating_sub(began.elapsed()));
            if look.is_zero() || !list.servers.iter().any(is_starting) || enough(&list) {
                return Ok(list);
            }
        }
    }
}

fn is_starting(server: &ServerEntry) -> bool {
    matches!(server.state.as_str(), "idle" | "starting")
}

/// Parses a duration argument.
pub(super) fn parse_wait(text: &str) -> Result<Duration, String> {
    duration(text).ok_or_else(|| "expected a number with a unit, such as 500ms or 5s".to_owned())
}
