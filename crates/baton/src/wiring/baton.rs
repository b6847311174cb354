//! A Baton in this process: the journal of a data directory, the agents, and the engine.

use super::{
    agents::{self, AgentSelection, LocalAgents},
    models,
    persistence::{JournalHandle, Persistence},
    remote_agents::{self, AllAgents, CardRefresh},
    telemetry, tempo, tools,
};
use crate::{
    config::{BatonSettings, Push, Retention},
    failure::{CliError, Exit},
    model_summary::ModelSummary,
    screen::Screen,
    server_file::ServerFile,
};
use baton_client::Client;
use baton_document::Diagnostic;
use baton_engine::{Engine, Ports};
use baton_export::Exporter;
use baton_http::{
    AccessOptions, CallerServerPorts, DefinitionPorts, ExportPorts, HttpOptions, McpPorts, MeterPorts, PeerPorts,
    SpanPorts, ToolPorts,
};
use baton_identity::TokenRegistry;
use baton_local::LoadError;
use baton_mcp::{McpLimits, OwnServerOptions};
use baton_model_registry::ModelRegistry;
use baton_models::PlaybookModels;
use baton_outbound::{AddressPolicy, GuardedClient};
use baton_peers::{LocalPeerRegistry, PeerHub};
use baton_ports::{AgentSource, JournalError, RetentionPolicy, TokenIssuer as _, TokenRecord, UnusableEntry};
use baton_push::PushSender;
use baton_span_ports::SpanStore;
use baton_spans::SpanRecorder;
use baton_system::{SystemClock, TimeOrderedIds};
use baton_telemetry::Tracer;
use baton_toolhost::Toolbox;
use baton_types::{AgentListing, ErrorCode, Timestamp};
use baton_types::{Clock as _, IdGenerator as _};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// Shutdown timeout for runs to reach their next journaled event.
const CHECKPOINT_TIMEOUT: Duration = Duration::from_secs(5);
/// Shutdown timeout for MCP servers.
const MCP_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(4);
/// Timeout of the final export at shutdown; unsent data stays for the next start.
const EXPORT_FLUSH_TIMEOUT: Duration = Duration::from_secs(2);
const RETENTION_INTERVAL: Duration = Duration::from_secs(60 * 60);
/// Tasks that ended within this time are always retained: another task may still need to read them.
const MIN_ENDED_AGE: Duration = Duration::from_secs(60 * 60);

/// Handling of messages that no playbook rule matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// Answer with a default text.
    Lenient,
    /// Fail the call, and report it at the end.
    Strict,
}

/// An engine with its journal, agents and tools.
pub(crate) struct Baton {
    pub(super) engine: Engine,
    /// Holds the engine for internal MCP servers, which have weak references to it.
    _reached: Arc<Engine>,
    pub(super) stopping: CancellationToken,
    journal: JournalHandle,
    pub(super) agents: Arc<dyn AgentSource>,
    pub(super) locals: Arc<LocalAgents>,
    tools: Arc<Toolbox>,
    playbooks: Arc<PlaybookModels>,
    models: Arc<ModelRegistry>,
    tokens: TokenRegistry,
    peer_registry: Arc<LocalPeerRegistry>,
    peers: Arc<PeerHub>,
    telemetry: SpanRecorder,
    exporter: Exporter,
    /// Span store that answers queries.
    spans: Arc<dyn SpanStore>,
}

/// Parts of a Baton in addition to its settings.
pub(super) struct BatonParts {
    pub(super) strictness: Strictness,
    pub(super) persistence: Persistence,
    pub(super) card_refresh: CardRefresh,
    pub(super) locals: Arc<LocalAgents>,
    pub(super) peer_registry: LocalPeerRegistry,
}

impl BatonParts {
    fn new(locals: Arc<LocalAgents>, peer_registry: LocalPeerRegistry) -> Self {
        Self {
            strictness: Strictness::Lenient,
            persistence: Persistence::DataDirectory,
            card_refresh: CardRefresh::Periodic,
            locals,
            peer_registry,
        }
    }
}

/// The local agents of the settings.
struct Locals {
    agents: Arc<LocalAgents>,
    /// Diagnostics about their files.
    diagnostics: Vec<Diagnostic>,
    /// Error if agents could not be loaded.
    error: Option<LoadError>,
}

fn locals(settings: &BatonSettings) -> Result<Locals, CliError> {
    let selection = AgentSelection::all(settings);
    Ok(match agents::load_usable(selection) {
        Ok(loaded) => Locals { agents: Arc::new(loaded.source), diagnostics: loaded.diagnostics, error: None },
        Err(error) => {
            let agents = Arc::new(agents::open(selection)?.0);
            Locals { agents, diagnostics: Vec::new(), error: Some(error) }
        }
    })
}

/// Whether a Baton needs agents to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentRequirement {
    /// At least one agent is required.
    Required,
    /// Agents may be created later.
    Optional,
}

/// A unique identifier.
pub(crate) fn fresh_id() -> String {
    TimeOrderedIds.next_id()
}

impl Baton {
    /// Loads the agents and locks the data directory; also returns diagnostics about the agents' files. A start that
    /// needs agents and finds none leaves no directory behind.
    pub(crate) async fn open(
        settings: &BatonSettings,
        strictness: Strictness,
        needs: AgentRequirement,
    ) -> Result<(Self, Vec<Diagnostic>), CliError> {
        let Locals { agents: locals, diagnostics, error } = locals(settings)?;
        let book = remote_agents::peer_registry(settings, &locals)?;
        let is_fit = match &error {
            None => {
                !locals.listings().is_empty() || needs == AgentRequirement::Optional && settings.new_agents.is_some()
            }
            Some(LoadError::Empty { .. }) => needs == AgentRequirement::Optional,
            Some(_) => false,
        };
        if !is_fit && book.agents().is_empty() {
            let invalid = || CliError::new(ErrorCode::AGENT_INVALID, "no agent can be served");
            return Err(error.as_ref().map_or_else(invalid, agents::load_failure).with_diagnostics(diagnostics));
        }
        let parts = BatonParts { strictness, ..BatonParts::new(locals, book) };
        let baton = Self::from_parts(settings, parts).await?;
        baton.models.detect().await;
        Ok((baton, diagnostics))
    }

    /// Locks the data directory with the agents that can be loaded; none are required.
    pub(crate) async fn open_for_managing(settings: &BatonSettings) -> Result<Self, CliError> {
        let locals = locals(settings)?.agents;
        let book = remote_agents::peer_registry(settings, &locals)?;
        Self::from_parts(settings, BatonParts::new(locals, book)).await
    }

    pub(super) async fn from_parts(settings: &BatonSettings, parts: BatonParts) -> Result<Self, CliError> {
        let BatonParts { strictness, persistence: keep, card_refresh: fresh, locals, peer_registry: book } = parts;
        let book = Arc::new(book);
        let span_source = tempo::TempoSource::from_settings(settings)?;
        let journal_handle = JournalHandle::open(keep, settings)?;
        if keep == Persistence::DataDirectory {
            locals.directories.persist_names();
        }
        let (telemetry, exporter) = telemetry::open(keep, settings)?;
        let peers = PeerHub::new(Arc::clone(&book), settings.public_url.as_deref()).with_tracer(telemetry.tracer());
        let peers = Arc::new(peers);
        let playbooks = Arc::new(match strictness {
            Strictness::Lenient => PlaybookModels::new(),
            Strictness::Strict => PlaybookModels::strict(),
        });
        let agents: Arc<dyn AgentSource> = Arc::new(AllAgents::new(fresh, Arc::clone(&locals), Arc::clone(&book)));
        let models = models::model_registry(settings, Arc::clone(&agents), Arc::clone(&playbooks));
        let repository = locals.repository();
        let tools = tools::toolbox(Arc::clone(&agents), repository, Arc::clone(&book), settings, telemetry.tracer())?;
        let ports = Ports {
            journal: journal_handle.journal(),
            models: models.clone(),
            tools: tools.toolbox.clone(),
            agents: Arc::clone(&agents),
            peers: peers.clone(),
            webhooks: Arc::new(
                push_sender(&settings.push)?.with_a2a(settings.a2a.settings).with_tracer(telemetry.tracer()),
            ),
            watch: telemetry.observer(),
            clock: Arc::new(SystemClock),
            ids: Arc::new(TimeOrderedIds),
        };
        let defaults = baton_engine::EngineOptions::default();
        let push_deadline = settings.push.deadline.unwrap_or(defaults.push_deadline);
        let engine = Engine::new(baton_engine::EngineOptions { push_deadline, ..defaults }, ports);
        let engine = models::with_embeddings(engine, &models, &settings.data)?;
        let reached = Arc::new(engine.clone());
        tools.attach(&reached);
        let tokens = TokenRegistry::open(journal_handle.tokens(), Arc::new(SystemClock))
            .await
            .map_err(|error| journal_failure(&error, &settings.data))?;
        let telemetry = telemetry.follow(journal_handle.journal());
        let spans = span_source.combine_with(telemetry.store());
        Ok(Self {
            engine,
            _reached: reached,
            stopping: CancellationToken::new(),
            journal: journal_handle,
            agents,
            locals,
            tools: tools.toolbox,
            playbooks,
            models,
            tokens,
            peer_registry: book,
            peers,
            telemetry,
            exporter,
            spans,
        })
    }

    /// Refreshes models and agents; returns entries that cannot be used.
    pub(super) async fn refresh(&self) -> Vec<UnusableEntry> {
        self.models.detect().await;
        self.agents.refresh().await
    }

    /// Start-up summary of the models in use.
    pub(crate) fn model_summary(&self) -> Result<ModelSummary, CliError> {
        models::model_summary(&self.models, &*self.agents)
    }

    /// Model registry.
    pub(super) fn models(&self) -> &Arc<ModelRegistry> {
        &self.models
    }

    /// Registry of access tokens.
    pub(crate) fn tokens(&self) -> &TokenRegistry {
        &self.tokens
    }

    /// Number of tokens that are neither revoked nor expired.
    pub(crate) fn valid_tokens(&self) -> usize {
        let now = now();
        let valid = |token: &TokenRecord| token.revoked_at.is_none() && token.expires_at.is_none_or(|at| at > now);
        self.tokens.list().iter().filter(|token| valid(token)).count()
    }

    /// Peer registry and clients.
    pub(super) fn peer_ports(&self) -> PeerPorts {
        PeerPorts { registry: self.peer_registry.clone(), peers: self.peers.clone() }
    }

    /// Tool host.
    pub(super) fn tools(&self) -> &Arc<Toolbox> {
        &self.tools
    }

    /// Repository of agent definitions.
    pub(super) fn definition_ports(&self) -> DefinitionPorts {
        DefinitionPorts { repository: self.locals.repository() }
    }

    /// Span store.
    pub(super) fn span_ports(&self) -> SpanPorts {
        SpanPorts { store: self.spans.clone() }
    }

    /// Export counters.
    pub(super) fn export_ports(&self) -> ExportPorts {
        ExportPorts { exports: Arc::new(self.exporter.counts()) }
    }

    /// Metrics.
    pub(super) fn meter_ports(&self) -> MeterPorts {
        MeterPorts { meters: self.telemetry.meters(), now: baton_spans::wall_clock }
    }

    /// Tracer for requests at the edges.
    pub(super) fn tracer(&self) -> Tracer {
        self.telemetry.tracer()
    }

    /// Tool host for callers.
    pub(super) fn tool_ports(&self) -> ToolPorts {
        ToolPorts { host: self.tools.clone() }
    }

    /// MCP servers that requests bring along.
    pub(super) fn caller_server_ports(&self) -> Option<CallerServerPorts> {
        self.tools.caller_servers().map(|servers| CallerServerPorts { caller_servers: servers.clone() })
    }

    /// Reads the cards of remote agents, now and every few minutes, and watches local definitions for changes, in the
    /// background.
    pub(crate) fn start_refresh(&self) {
        tokio::spawn(
            self.stopping.clone().run_until_cancelled_owned(Arc::clone(&self.peer_registry).refresh_periodically()),
        );
        tokio::spawn(self.stopping.clone().run_until_cancelled_owned(Arc::clone(&self.locals).watch()));
    }

    /// Access options without authentication; tokens can still be created, for later use.
    pub(super) fn local_access(&self) -> AccessOptions {
        AccessOptions {
            tokens: Some(Arc::new(self.tokens.clone())),
            clock: Arc::new(SystemClock),
            ..AccessOptions::default()
        }
    }

    pub(crate) fn agents(&self) -> Vec<Arc<AgentListing>> {
        self.engine.listed_agents()
    }

    /// A client that calls the HTTP app in memory, without a socket.
    pub(crate) fn client(&self) -> Client {
        self.client_with(None)
    }

    /// Like `client`, with MCP endpoints. Their sessions and sealed state end with the process.
    pub(crate) fn mcp_client(&self) -> Result<Client, CliError> {
        let ports = self.mcp_ports(None, OwnServerOptions::default(), McpLimits::default())?;
        Ok(self.client_with(Some(ports)))
    }

    fn client_with(&self, mcp: Option<McpPorts>) -> Client {
        let options = HttpOptions {
            access: self.local_access(),
            peers: Some(self.peer_ports()),
            tools: Some(self.tool_ports()),
            caller_servers: self.caller_server_ports(),
            definitions: Some(self.definition_ports()),
            mcp,
            spans: Some(self.span_ports()),
            exports: Some(self.export_ports()),
            meters: Some(self.meter_ports()),
            tracer: self.tracer(),
            shutdown: self.stopping.clone(),
            started_at: now(),
            ..HttpOptions::default()
        };
        Client::in_memory(baton_http::app(self.engine.clone(), options))
    }

    /// Resumes unfinished runs of an earlier process, in the background.
    pub(crate) fn recover(&self, screen: Screen) {
        let engine = self.engine.clone();
        tokio::spawn(async move {
            match engine.recover().await {
                Ok(0) => {}
                Ok(runs) => {
                    screen.print_stderr(&format!("resumed {runs} unfinished run{}", if runs == 1 { "" } else { "s" }));
                }
                Err(error) => tracing::error!(%error, "unfinished runs could not be resumed; restart to try again"),
            }
        });
    }

    /// Deletes ended tasks by the retention policy, now and every hour, in the background.
    pub(crate) fn start_retention(&self, retention: Retention) {
        let journal = self.journal.journal();
        let stopping = self.stopping.clone();
        let caught_up = self.telemetry.caught_up();
        tokio::spawn(stopping.run_until_cancelled_owned(async move {
            // Tasks must not be deleted before their spans are recorded.
            caught_up.await;
            let mut hours = tokio::time::interval(RETENTION_INTERVAL);
            loop {
                hours.tick().await;
                let policy = RetentionPolicy {
                    ended_before: retention.age.map(|age| before(now(), age)),
                    keep_ended: retention.keep,
                    keep_since: Some(before(now(), MIN_ENDED_AGE)),
                };
                match journal.apply_retention(policy).await {
                    Ok(forgotten) => tracing::info!(forgotten, "retention"),
                    Err(error) => tracing::warn!(%error, "retention failed; retrying in an hour"),
                }
            }
        }));
    }

    /// Ends streams and accepts no more work.
    pub(super) fn stop(&self) {
        self.engine.stop();
        self.stopping.cancel();
    }

    /// Ends streams, lets runs reach their next journaled event, and releases the data directory.
    pub(crate) async fn close(self) {
        self.stop();
        self.engine.shutdown(CHECKPOINT_TIMEOUT).await;
        // Servers that do not close in time are killed when they are dropped.
        let _ = tokio::time::timeout(MCP_SHUTDOWN_TIMEOUT, self.tools.close()).await;
        self.telemetry.close().await;
        self.exporter.close(EXPORT_FLUSH_TIMEOUT).await;
        self.journal.close().await;
    }

    /// Reports unused playbook rules and messages without a matching rule, at the end of strict runs.
    pub(crate) fn report(&self, screen: Screen) -> Exit {
        let report = self.playbooks.report();
        let unused: Vec<String> = report
            .unused()
            .map(|rule| {
                let name = rule.name.as_deref().map(|name| format!(" ({name})")).unwrap_or_default();
                format!("  {}/playbook.yaml:{}{name}: never used", rule.agent, rule.line)
            })
            .collect();
        let used = report.rules.len() - unused.len();
        screen.print_stderr(&format!(
            "playbook: {used} of {} rules used; model calls without a rule: {}",
            report.rules.len(),
            report.missed
        ));
        for line in unused {
            screen.print_stderr(&line);
        }
        for miss in &report.misses {
            screen.print_stderr(&format!("  {}: no rule for {:?}", miss.agent, miss.user));
        }
        if report.missed > 0 { Exit::TaskFailed } else { Exit::Ok }
    }
}

/// Sender of push notifications, restricted by the address policy of the settings.
fn push_sender(push: &Push) -> Result<PushSender, CliError> {
    let policy = AddressPolicy::allowing(&push.allow)
        .map_err(|error| CliError::new(ErrorCode::CONFIG_INVALID, format!("push.allow: {error}")))?;
    Ok(PushSender::new(|| GuardedClient::new(policy, &baton_outbound::OutboundOptions::default())))
}

/// Current time.
pub(crate) fn now() -> Timestamp {
    SystemClock.now()
}

fn before(moment: Timestamp, age: Duration) -> Timestamp {
    Timestamp::from_millis(moment.as_millis().saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX)))
}

pub(super) fn journal_failure(error: &JournalError, data: &Path) -> CliError {
    let shown = data.display();
    match error {
        JournalError::Locked(_) => {
            let owner = ServerFile::read(data).map(|file| format!(" at {} (process {})", file.url, file.pid));
            let owner = owner.unwrap_or_default();
            let message = format!("another Baton{owner} owns the data directory {shown}");
            let free = free_data_directory(data);
            CliError::new(error.code(), message).hint(format!(
                "Use the running server with `baton run`, or choose another data directory: --data {}",
                free.display()
            ))
        }
        JournalError::Lost(_) => {
            let found = baton_local::journal_evidence(data).join(", ");
            let message = format!(
                "{shown} has no journal (journal.db is missing or empty), but contains other data: {found}; a new journal \
                 does not contain the tasks, sessions, tokens and budgets of the old one"
            );
            CliError::new(error.code(), message)
        }
        _ => CliError::new(error.code(), format!("{shown}: {error}")),
    }
}

/// A data directory with a similar name that is not in use.
fn free_data_directory(data: &Path) -> PathBuf {
    let beside = |number: u32| {
        let mut name = data.as_os_str().to_owned();
        name.push(format!("-{number}"));
        PathBuf::from(name)
    };
    (2..100).map(beside).find(|path| ServerFile::read(path).is_none()).unwrap_or_else(|| beside(100))
}
