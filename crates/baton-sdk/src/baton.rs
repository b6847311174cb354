//! Who serves agents.

use crate::{Agent, Error, Running, log, signals, wiring};
use std::path::PathBuf;

/// Serves agents to every A2A and MCP client of this machine, as the program `baton` does.
#[derive(Clone, Debug, Default)]
pub struct Baton {
    agents: Vec<Agent>,
    data: Option<PathBuf>,
    log: bool,
}

impl Baton {
    /// Without agents, and without a place to keep anything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Serves this agent, too.
    #[must_use]
    pub fn agent(mut self, agent: Agent) -> Self {
        self.agents.push(agent);
        self
    }

    /// Keeps everything in this directory, so that work goes on after a crash; without one it is in memory and gone at
    /// the end.
    #[must_use]
    pub fn data_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.data = Some(directory.into());
        self
    }

    /// Writes what happens to the standard error: `BATON_LOG` says how much (`info`), `BATON_LOG_FORMAT` how (`text`
    /// or `json`). A subscriber that the program has set before stays.
    #[must_use]
    pub fn tracing(mut self) -> Self {
        self.log = true;
        self
    }

    /// Serves at this address of this machine until the process is asked to stop (Ctrl-C or SIGTERM); then lets runs
    /// reach a good point, and ends.
    pub async fn serve(self, address: &str) -> Result<(), Error> {
        let mut asked = signals::StopRequest::listen();
        let running = self.start(address).await?;
        asked.came().await;
        running.stop().await;
        Ok(())
    }

    /// Serves at this address of this machine, in the background; port 0 is any free one.
    pub async fn start(self, address: &str) -> Result<Running, Error> {
        if self.log {
            log::start()?;
        }
        let running = wiring::start(self.agents, self.data, address).await?;
        tracing::info!(url = running.url(), "serving");
        Ok(running)
    }
}
