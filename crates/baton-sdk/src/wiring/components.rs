//! The engine with its HTTP surface.

use super::{
    agent_repository,
    agents::{MinAgents, ProgramAgents},
    listen::listen,
    mcp::endpoints,
    store::JournalStore,
    telemetry,
    tools::toolbox,
};
use crate::{BatonServer, Error, baton::ServerSettings, manage::Manager};
use baton_engine::{Engine, Ports};
use baton_http::{AccessOptions, HttpOptions, ServeOptions, SpanPorts, ToolPorts};
use baton_local::DirectoryAgents;
use baton_model_registry::{LoopbackProbe, ModelRegistry, ModelRegistryParts, ModelSettings, process_environment};
use baton_models::{ModelCatalog, PlaybookModels};
use baton_outbound::{AddressPolicy, GuardedClient};
use baton_peers::PeerHub;
use baton_ports::AgentSource;
use baton_push::PushSender;
use baton_spans::SpanRecorder;
use baton_system::{SystemClock, TimeOrderedIds};
use baton_toolhost::Toolbox;
use baton_types::Clock as _;
use baton_types::ErrorCode;
use std::{io, sync::Arc, time::Duration};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Time for runs to reach their next journaled event at shutdown.
const CHECKPOINT_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for MCP servers to stop.
const TOOL_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(4);
/// Limit of the whole shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// Components that must be stopped in order.
pub(crate) struct ServerComponents {
    engine: Engine,
    /// Keeps the weak engine references of the internal MCP servers valid.
    _internal_engine: Arc<Engine>,
    tools: Arc<Toolbox>,
    store: JournalStore,
    spans: SpanRecorder,
    repository: Arc<DirectoryAgents>,
    http_task: JoinHandle<io::Result<()>>,
    shutdown_guard: DropGuard,
}

/// The models of the agents: the configured ones, with keys of the agent's resources or of the environment variables;
/// otherwise the playbook.
fn model_registry(agents: Arc<dyn AgentSource>) -> Arc<ModelRegistry> {
    ModelRegistry::new(ModelRegistryParts {
        agents,
        playbooks: Arc::new(PlaybookModels::new()),
        settings: ModelSettings::default(),
        environment: process_environment(),
        probe: Arc::new(LoopbackProbe),
        catalog: Arc::new(ModelCatalog::default()),
        clock: Arc::new(SystemClock),
    })
}

/// Wires all components and starts the server; unfinished runs are resumed in the background.
pub(crate) async fn start(start: ServerSettings, address: &str) -> Result<BatonServer, Error> {
    let ServerSettings { agents, data, storage, tracing } = start;
    let min_agents = if storage.is_some() { MinAgents::None } else { MinAgents::One };
    let runtime_agents = agent_repository::open(storage).await?;
    let (agents, native) = ProgramAgents::resolve(agents, Arc::clone(&runtime_agents), min_agents)?;
    runtime_agents.reserve_names(agents.program_agent_names());
    let book = agents.peer_registry();
    let agents: Arc<dyn AgentSource> = Arc::new(agents);
    let listener = listen(address).await?;
    let bound = listener
        .local_addr()
        .map_err(|error| Error::new(ErrorCode::INTERNAL, format!("the socket has no address: {error}")))?;
    let store = JournalStore::open(data.as_deref())?;
    let spans = telemetry::open(data.as_deref(), tracing)?;
    let tools = toolbox(Arc::clone(&agents), Arc::clone(&book), native, data.as_deref(), spans.tracer())?;
    let policy = AddressPolicy::public_only();
    let webhooks = PushSender::new(|| GuardedClient::new(policy, &baton_outbound::OutboundOptions::default()));
    let ports = Ports {
        journal: store.journal(),
        models: model_registry(Arc::clone(&agents)),
        tools: tools.toolbox.clone(),
        agents: Arc::clone(&agents),
        peers: Arc::new(PeerHub::new(book, None).with_tracer(spans.tracer())),
        webhooks: Arc::new(webhooks.with_tracer(spans.tracer())),
        watch: spans.observer(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(TimeOrderedIds),
    };
    let engine = Engine::new(baton_engine::EngineOptions::default(), ports);
    let reached = Arc::new(engine.clone());
    tools.attach(&reached);
    let tools = tools.toolbox;
    let spans = spans.follow(store.journal());
    let stopping = CancellationToken::new();
    let mcp = endpoints(&engine, &agents, &tools, data.as_deref(), stopping.clone())?;
    let options = HttpOptions {
        bound: Some(bound),
        access: AccessOptions { clock: Arc::new(SystemClock), ..AccessOptions::default() },
        signer: store.signer(),
        tools: Some(ToolPorts { host: tools.clone() }),
        mcp: Some(mcp),
        spans: Some(SpanPorts { store: spans.store() }),
        tracer: spans.tracer(),
        started_at: SystemClock.now(),
        shutdown: stopping.clone(),
        ..HttpOptions::default()
    };
    let app = baton_http::app(engine.clone(), options);
    let serving = tokio::spawn(baton_http::serve(listener, app, ServeOptions::default(), stopping.clone()));
    recover(engine.clone());
    let served = ServerComponents {
        engine,
        _internal_engine: reached,
        tools,
        store,
        spans,
        repository: runtime_agents,
        http_task: serving,
        shutdown_guard: stopping.drop_guard(),
    };
    Ok(BatonServer::new(format!("http://{bound}"), served))
}

/// Resumes runs of a dead process in the background.
fn recover(engine: Engine) {
    tokio::spawn(async move {
        match engine.recover().await {
            Ok(0) => {}
            Ok(runs) => tracing::info!(runs, "unfinished runs are resumed"),
            Err(error) => tracing::error!(%error, "unfinished runs could not be resumed; restart to try again"),
        }
    });
}

impl ServerComponents {
    /// Manager of agents at runtime.
    pub(crate) fn manager(&self) -> Manager {
        Manager::new(self.repository.clone())
    }

    /// Stops accepting requests, waits for requests and for runs to reach a checkpoint, and releases the data
    /// directory.
    pub(crate) async fn stop(self) {
        let Self { engine, tools, store, spans, http_task: serving, shutdown_guard: stopping, .. } = self;
        drop(stopping);
        let ending = async {
            let (served, ()) = tokio::join!(serving, engine.shutdown(CHECKPOINT_TIMEOUT));
            // Servers that do not stop in time are killed when they are dropped.
            let _ = tokio::time::timeout(TOOL_SHUTDOWN_TIMEOUT, tools.close()).await;
            spans.close().await;
            store.close().await;
            served
        };
        match tokio::time::timeout(SHUTDOWN_TIMEOUT, ending).await {
            Ok(Ok(Err(error))) => tracing::warn!(%error, "the listener failed"),
            Ok(_) => {}
            Err(_) => tracing::warn!("shutdown took too long; unfinished runs continue at the next start"),
        }
    }
}
