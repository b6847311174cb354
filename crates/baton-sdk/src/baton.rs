//! Who serves agents.

use crate::{
    Agent, Error, Running, log,
    manage::{AgentStorage, Storage},
    signals, wiring,
};
use std::{path::PathBuf, sync::Arc};

/// Serves agents to every A2A and MCP client of this machine, as the program `baton` does.
#[derive(Clone, Debug, Default)]
pub struct Baton {
    agents: Vec<Agent>,
    data: Option<PathBuf>,
    storage: Option<Storage>,
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

    /// Serves the agents that this storage keeps, too, and keeps those there that are made while it runs; without one
    /// they are in memory and gone at the end. With one, there may be no agents at first.
    #[must_use]
    pub fn storage(mut self, storage: impl AgentStorage) -> Self {
        self.storage = Some(Storage(Arc::new(storage)));
        self
    }

    /// Keeps everything in this directory, so that work goes on after a crash; without one it is in memory and gone at
    /// the end.
    #[must_use]
    pub fn data_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.data = Some(directory.into());
        self
    }

    /// Makes spans of all that happens and keeps them with the rest: `/tempo` answers questions about them, and `OTEL_*`
    /// variables count. Also writes what happens to the standard error: `BATON_LOG` says how much (`info`), `BATON_LOG_FORMAT` how (`text`
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
        let Self { agents, data, storage, log } = self;
        let start = Start { agents, data, storage, tracing: log };
        let running = wiring::start(start, address).await?;
        tracing::info!(url = running.url(), "serving");
        Ok(running)
    }
}

/// What is served, where it is kept, and whether it is recorded.
pub(crate) struct Start {
    pub(crate) agents: Vec<Agent>,
    pub(crate) data: Option<PathBuf>,
    pub(crate) storage: Option<Storage>,
    pub(crate) tracing: bool,
}
