//! The builder that configures and starts a server.

use crate::{
    Agent, BatonServer, Error, log,
    manage::{AgentStorage, ProgramStorage},
    signals, wiring,
};
use std::{path::PathBuf, sync::Arc};

/// Serves agents to every A2A and MCP client of this machine, like the program `baton`.
#[derive(Clone, Debug, Default)]
pub struct Baton {
    agents: Vec<Agent>,
    data: Option<PathBuf>,
    storage: Option<ProgramStorage>,
    log: bool,
}

impl Baton {
    /// A server without agents and without persistent storage.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an agent.
    #[must_use]
    pub fn agent(mut self, agent: Agent) -> Self {
        self.agents.push(agent);
        self
    }

    /// Also serves the agents of this storage, and stores agents there that are created at runtime; without a storage
    /// they are kept in memory only. With a storage, the server may start without agents.
    #[must_use]
    pub fn storage(mut self, storage: impl AgentStorage) -> Self {
        self.storage = Some(ProgramStorage(Arc::new(storage)));
        self
    }

    /// Stores all data in this directory, so that runs continue after a crash; without it, data is kept in memory only.
    #[must_use]
    pub fn data_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.data = Some(directory.into());
        self
    }

    /// Records spans of all activity and stores them with the other data; `/tempo` answers queries about them. Spans
    /// are not exported: `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SDK_DISABLED` apply, the variables
    /// `OTEL_EXPORTER_OTLP_*` do not. Also logs to standard error: `BATON_LOG` sets the level (`info`),
    /// `BATON_LOG_FORMAT` the format (`text` or `json`). A subscriber that the program has already set is kept.
    #[must_use]
    pub fn tracing(mut self) -> Self {
        self.log = true;
        self
    }

    /// Serves at this local address until Ctrl-C or SIGTERM, then waits until runs reach a checkpoint, and stops.
    pub async fn serve(self, address: &str) -> Result<(), Error> {
        let mut stop_signal = signals::StopSignal::listen();
        let running = self.start(address).await?;
        stop_signal.wait().await;
        running.stop().await;
        Ok(())
    }

    /// Serves at this local address in the background; port 0 selects a free port.
    pub async fn start(self, address: &str) -> Result<BatonServer, Error> {
        if self.log {
            log::start()?;
        }
        let Self { agents, data, storage, log } = self;
        let start = ServerSettings { agents, data, storage, tracing: log };
        let running = wiring::start(start, address).await?;
        tracing::info!(url = running.url(), "serving");
        Ok(running)
    }
}

/// Settings of a server start.
pub(crate) struct ServerSettings {
    pub(crate) agents: Vec<Agent>,
    pub(crate) data: Option<PathBuf>,
    pub(crate) storage: Option<ProgramStorage>,
    pub(crate) tracing: bool,
}
