//! An open server: the data, the agents and the engine, not listening yet.

use crate::{
    AgentRequirement, ListenerOptions, PlaybookMode, PushOptions, RetentionOptions, ServerError, ServerHandle,
    ServerOptions, ServerService,
    agents::{AllAgents, LoadedAgents, LocalAgents, load_failure, load_required},
    components::ServerComponents,
    http, models, peers,
    persistence::JournalHandle,
    telemetry::{self, SpanRecorder, TempoSource},
    tools::{self, ToolSources},
};
use baton_document::Diagnostic;
use baton_engine::{Engine, EngineOptions, Ports};
use baton_export::Exporter;
use baton_http::Surface;
use baton_identity::TokenRegistry;
use baton_local::LoadError;
use baton_models::PlaybookModels;
use baton_outbound::{AddressPolicy, GuardedClient, OutboundOptions};
use baton_peers::{LocalPeerRegistry, PeerHub};
use baton_ports::{AgentSource, UnusableEntry};
use baton_push::PushSender;
use baton_system::{SystemClock, TimeOrderedIds};
use baton_types::A2aSettings;
use std::{path::PathBuf, sync::Arc, time::Duration};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Shutdown timeout for runs to reach their next journaled event.
const CHECKPOINT_TIMEOUT: Duration = Duration::from_secs(5);
/// Shutdown timeout for MCP servers.
const MCP_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(4);
/// Timeout of the final export at shutdown; unsent data stays for the next start.
const EXPORT_FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// An open server. It owns its data directory until it is closed; [`Server::listen`] serves it to callers.
pub struct Server {
    handle: ServerHandle,
    journal: JournalHandle,
    telemetry: SpanRecorder,
    exporter: Exporter,
    diagnostics: Vec<Diagnostic>,
    pub(crate) listener: ListenerOptions,
    pub(crate) retention: Option<RetentionOptions>,
    pub(crate) directory: Option<PathBuf>,
}

impl Server {
    /// Loads the agents, locks the data directory and wires all parts. Unless enough agents can be served, nothing is
    /// created.
    pub async fn open(options: ServerOptions) -> Result<Self, ServerError> {
        let ServerOptions {
            persistence,
            lost_journal,
            agents,
            management,
            peers: peer_options,
            models: model_options,
            tools: tool_options,
            push,
            telemetry: telemetry_options,
            log_queue,
            retention,
            listener,
        } = options;
        let (requirement, folder) = (agents.requirement, agents.folder.clone());
        // A storage of agents may block on a disk or a network.
        let loaded = tokio::task::spawn_blocking(move || load_required(&agents)).await;
        let loaded = loaded.map_err(|error| ServerError::Internal(format!("the agents could not be read: {error}")))?;
        let LoadedAgents { source, diagnostics, unusable, error } = loaded?;
        let locals = Arc::new(source);
        let registry = peers::open_registry(&peer_options, &locals)?;
        let found = FoundAgents { error, unusable, diagnostics, has_folder: folder.is_some() };
        let diagnostics = found.check(requirement, &locals, &registry)?;
        let peer_registry = Arc::new(registry);
        let agents = AllAgents::new(peer_options.card_refresh, Arc::clone(&locals), Arc::clone(&peer_registry));
        check_program_handoffs(&locals, &agents)?;
        let agents: Arc<dyn AgentSource> = Arc::new(agents);

        let span_source = TempoSource::from_options(telemetry_options.tempo.as_ref())?;
        let journal = JournalHandle::open(&persistence, lost_journal)?;
        if persistence.directory().is_some() {
            locals.directories.persist_names();
        }
        let (telemetry, exporter) = telemetry::open_store(&persistence, &telemetry_options, log_queue.as_ref())?;
        let peers = PeerHub::new(Arc::clone(&peer_registry), listener.public_url.as_deref());
        let peers = Arc::new(peers.with_tracer(telemetry.tracer()));
        let playbooks = Arc::new(match model_options.playbook {
            PlaybookMode::Lenient => PlaybookModels::new(),
            PlaybookMode::Strict => PlaybookModels::strict(),
        });
        let models = models::open_registry(model_options, Arc::clone(&agents), Arc::clone(&playbooks));
        let sources = ToolSources {
            agents: Arc::clone(&agents),
            locals: Arc::clone(&locals),
            peer_registry: Arc::clone(&peer_registry),
            management,
        };
        let tools = tools::toolbox(sources, tool_options, &persistence, telemetry.tracer())?;
        let webhooks = push_sender(&push, listener.a2a.settings)?.with_tracer(telemetry.tracer());
        let ports = Ports {
            journal: journal.journal(),
            models: models.clone(),
            tools: tools.toolbox.clone(),
            agents: Arc::clone(&agents),
            peers: peers.clone(),
            webhooks: Arc::new(webhooks),
            watch: telemetry.observer(),
            clock: Arc::new(SystemClock),
            ids: Arc::new(TimeOrderedIds),
        };
        let defaults = EngineOptions::default();
        let push_deadline = push.deadline.unwrap_or(defaults.push_deadline);
        let engine = Engine::new(EngineOptions { push_deadline, ..defaults }, ports);
        let engine = Arc::new(models::with_embeddings(engine, &models, &persistence)?);
        tools.attach(&engine);
        let tokens = TokenRegistry::open(journal.tokens(), Arc::new(SystemClock)).await;
        let tokens = tokens.map_err(|error| match persistence.directory() {
            Some(directory) => ServerError::from_journal(error, directory),
            None => ServerError::Internal(error.to_string()),
        })?;
        let telemetry = telemetry.follow(journal.journal());
        let handle = ServerHandle::new(ServerComponents {
            engine,
            stopping: CancellationToken::new(),
            agents,
            locals,
            tools: tools.toolbox,
            playbooks,
            models,
            tokens,
            peer_registry,
            peers,
            spans: span_source.combine_with(telemetry.store()),
            meters: telemetry.meters(),
            tracer: telemetry.tracer(),
            exports: exporter.counts(),
            management,
            recovery: tokio::sync::watch::Sender::default(),
        });
        let directory = persistence.directory().map(ToOwned::to_owned);
        Ok(Self { handle, journal, telemetry, exporter, diagnostics, listener, retention, directory })
    }

    /// A handle for the operations of the server.
    pub fn handle(&self) -> ServerHandle {
        self.handle.clone()
    }

    /// Diagnostics about the files of the agents, as of the first load.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Token of the owner, if the options have one.
    pub fn owner_token(&self) -> Option<&str> {
        self.listener.identity.owner_token.as_deref()
    }

    /// The HTTP surface for calls in this process, by the owner of the server and without MCP.
    pub fn local_surface(&self) -> Surface {
        http::local_surface(&self.handle, None)
    }

    /// As [`Server::local_surface`], with MCP endpoints. Their sessions and sealed state end with the process.
    pub fn local_surface_with_mcp(&self) -> Result<Surface, ServerError> {
        Ok(http::local_surface(&self.handle, Some(http::local_mcp(&self.handle)?)))
    }

    /// Prepares to serve the callers of this listener; nothing is accepted before [`ServerService::run`].
    pub fn listen(self, listener: TcpListener) -> Result<ServerService, ServerError> {
        ServerService::new(self, listener)
    }

    /// Resolves when all events in the journal have their spans.
    pub(crate) fn spans_caught_up(&self) -> impl Future<Output = ()> + Send + use<> {
        self.telemetry.caught_up()
    }

    pub(crate) fn journal(&self) -> Arc<dyn baton_ports::Journal> {
        self.journal.journal()
    }

    /// Ends streams, lets runs reach their next journaled event, and releases the data directory.
    pub async fn close(self) {
        self.handle.stop();
        let parts = self.handle.components();
        parts.engine.shutdown(CHECKPOINT_TIMEOUT).await;
        // Servers that do not close in time are killed when they are dropped.
        let _ = tokio::time::timeout(MCP_SHUTDOWN_TIMEOUT, parts.tools.close()).await;
        self.telemetry.close().await;
        self.exporter.close(EXPORT_FLUSH_TIMEOUT).await;
        self.journal.close().await;
    }
}

/// Outcome of loading the local agents.
struct FoundAgents {
    error: Option<LoadError>,
    unusable: Vec<UnusableEntry>,
    diagnostics: Vec<Diagnostic>,
    /// Whether there is a folder for new agents.
    has_folder: bool,
}

impl FoundAgents {
    /// Checks the requirement, and returns the diagnostics if it is met.
    fn check(
        self,
        requirement: AgentRequirement,
        locals: &LocalAgents,
        peers: &LocalPeerRegistry,
    ) -> Result<Vec<Diagnostic>, ServerError> {
        let Self { error, unusable, diagnostics, has_folder } = self;
        let has_agents = !locals.listings().is_empty();
        let has_peers = !peers.agents().is_empty();
        match requirement {
            AgentRequirement::Unchecked => Ok(diagnostics),
            AgentRequirement::Reachable => {
                if has_agents || has_peers || !peers.peers_without_card().is_empty() {
                    return Ok(diagnostics);
                }
                Err(ServerError::NoEntries { reasons: unusable.into_iter().map(|entry| entry.reason).collect() })
            }
            AgentRequirement::Required | AgentRequirement::Optional => {
                let is_optional = requirement == AgentRequirement::Optional;
                let is_fit = match &error {
                    None => has_agents || is_optional && has_folder,
                    Some(LoadError::Empty { .. }) => is_optional,
                    Some(_) => false,
                };
                match error {
                    _ if is_fit || has_peers => Ok(diagnostics),
                    Some(error) => Err(load_failure(error, diagnostics)),
                    None => Err(ServerError::NoAgents { diagnostics }),
                }
            }
        }
    }
}

/// Agents of the program hand work to agents that are served. Stored agents may be added later, so they are not checked.
fn check_program_handoffs(locals: &LocalAgents, agents: &AllAgents) -> Result<(), ServerError> {
    match locals.program_handoffs().find(|(_, target)| !agents.has(&target.agent)) {
        None => Ok(()),
        Some((agent, target)) => {
            Err(ServerError::UnknownHandoffTarget { agent: agent.clone(), target: target.agent.clone() })
        }
    }
}

/// Sender of push notifications, restricted by the address policy of the options.
fn push_sender(push: &PushOptions, settings: A2aSettings) -> Result<PushSender, ServerError> {
    let policy =
        AddressPolicy::allowing(&push.allow).map_err(|error| ServerError::invalid_option("push.allow", &error))?;
    let sender = PushSender::new(|| GuardedClient::new(policy, &OutboundOptions::default()));
    Ok(sender.with_a2a(settings))
}
