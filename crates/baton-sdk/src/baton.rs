//! The builder that configures and starts a server.

use crate::{
    Agent, BatonServer, Error,
    listen::listen,
    log,
    manage::{AgentStorage, ProgramStorage},
    signals,
    telemetry::{self, TracingTarget},
};
use baton_server::{
    AgentOptions, LostJournal, Management, ModelOptions, NativeTools, Persistence, ProgramAgent, Server, ServerOptions,
    ToolOptions, process_environment,
};
use baton_types::ErrorCode;
use std::{path::PathBuf, sync::Arc};

/// Serves agents to every A2A and MCP client of this machine, like the program `baton`.
#[derive(Clone, Debug, Default)]
pub struct Baton {
    agents: Vec<Agent>,
    data: Option<PathBuf>,
    storage: Option<ProgramStorage>,
    has_telemetry: bool,
    tracing: Option<TracingTarget>,
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

    /// Records spans of all activity and stores them with the other data; `/tempo` answers queries about them.
    /// `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SDK_DISABLED` apply, the variables
    /// `OTEL_EXPORTER_OTLP_*` do not. Also logs to standard error: `BATON_LOG` sets the level (`info`),
    /// `BATON_LOG_FORMAT` the format (`text` or `json`). A subscriber that the program has already set is kept.
    #[must_use]
    pub fn telemetry(mut self) -> Self {
        self.has_telemetry = true;
        self
    }

    /// As [`Baton::telemetry`], and exports the spans over OTLP as this service: over gRPC if the endpoint has port
    /// 4317, else over HTTP to its path `/v1/traces`. An unavailable endpoint delays no agent. With a data directory,
    /// its spans are kept and sent later; in memory, only the newest ones.
    #[must_use]
    pub fn tracing(mut self, service_name: impl Into<String>, otlp_endpoint: impl Into<String>) -> Self {
        let (service_name, otlp_endpoint) = (service_name.into(), otlp_endpoint.into());
        self.tracing = Some(TracingTarget { service_name, otlp_endpoint });
        self.telemetry()
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
        if self.has_telemetry {
            log::start()?;
        }
        let options = self.server_options()?;
        let listener = listen(address).await?;
        let service = Server::open(options).await?.listen(listener)?;
        tracing::info!(url = service.url(), "serving");
        Ok(BatonServer::new(service.start()))
    }

    /// Resolves the agents and checks the constraints between them.
    fn server_options(self) -> Result<ServerOptions, Error> {
        let Self { agents, data, storage, has_telemetry, tracing } = self;
        let wrong = |message: String| Error::new(ErrorCode::AGENT_INVALID, message);
        let mut functions = NativeTools::new();
        let mut program: Vec<ProgramAgent> = Vec::with_capacity(agents.len());
        for agent in agents {
            let agent = agent.resolve(&mut functions)?;
            let name = &agent.spec.name;
            if program.iter().any(|earlier| earlier.spec.name == *name) {
                return Err(wrong(format!("two agents are called '{name}'; give one of them another name")));
            }
            program.push(agent);
        }
        if program.is_empty() && storage.is_none() {
            return Err(wrong(
                "there is no agent to serve; add one with Baton::agent, or a storage with Baton::storage".to_owned(),
            ));
        }
        Ok(ServerOptions {
            persistence: match &data {
                Some(data) => Persistence::Directory(data.clone()),
                None => Persistence::InMemory { caches: None },
            },
            lost_journal: LostJournal::Reject,
            agents: AgentOptions {
                program,
                storage: storage.map(|ProgramStorage(storage)| storage),
                names: data,
                ..AgentOptions::default()
            },
            management: Management::Disabled,
            models: ModelOptions { environment: process_environment(), ..ModelOptions::default() },
            tools: ToolOptions { functions: Some(functions), ..ToolOptions::default() },
            telemetry: telemetry::options(has_telemetry, tracing)?,
            ..ServerOptions::default()
        })
    }
}
