//! A Baton in this process: the journal of a data directory, agents, and the engine between them.

use super::{
    agents::{self, LocalAgents, Wanted},
    elsewhere::{self, AllAgents, Fresh},
    kept::{Keep, Kept},
    models, telemetry, tempo, tools,
};
use crate::{
    answering::Answering,
    config::{Push, Retention, Settings},
    failure::{Exit, Failure},
    screen::Screen,
    server_file::ServerFile,
};
use baton_agentdir::Diagnostic;
use baton_client::Client;
use baton_engine::{Engine, Ports};
use baton_export::Exporter;
use baton_http::{
    AccessOptions, ExportPorts, GuestPorts, HttpOptions, McpPorts, MeterPorts, PeerPorts, PermissionPorts,
    SessionPorts, SpanPorts, ToolPorts,
};
use baton_identity::TokenRegistry;
use baton_lineup::Lineup;
use baton_local::{LoadError, SystemClock, TimeOrderedIds};
use baton_mcp::{Limits, OwnOptions};
use baton_models::PlaybookModels;
use baton_outbound::{AddressPolicy, GuardedClient, PushSender};
use baton_peers::{Book, PeerHub};
use baton_ports::{
    AgentSource, Clock as _, Ids as _, JournalError, RetentionPolicy, SpanStore, TokenRecord, Tokens as _, Unusable,
};
use baton_spans::Recorded;
use baton_telemetry::Tracer;
use baton_toolhost::Toolbox;
use baton_types::{AgentListing, ErrorCode, Timestamp};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// How long runs may take to reach their next journaled event when the process ends.
const CHECKPOINT: Duration = Duration::from_secs(5);
/// How long MCP servers may take to end by themselves.
const FAREWELL: Duration = Duration::from_secs(4);
/// How long what was kept last may take to be sent on; what is not stays for the next start.
const SENDING: Duration = Duration::from_secs(2);
const RETENTION_PAUSE: Duration = Duration::from_secs(60 * 60);
/// What ended within this time stays whatever the policy says: a task may still wait to read it.
const SPARED: Duration = Duration::from_secs(60 * 60);

/// What a playbook does with a message that no rule matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// A polite default.
    Lenient,
    /// An error, and a report at the end.
    Strict,
}

/// An engine on a journal, with the agents that it serves and their tools.
pub(crate) struct Baton {
    pub(super) engine: Engine,
    /// The same for tools that are part of Baton: they reach it as long as this is here, and do not keep it.
    _reached: Arc<Engine>,
    pub(super) stopping: CancellationToken,
    kept: Kept,
    pub(super) agents: Arc<dyn AgentSource>,
    pub(super) locals: Arc<LocalAgents>,
    tools: Arc<Toolbox>,
    playbooks: Arc<PlaybookModels>,
    models: Arc<Lineup>,
    tokens: TokenRegistry,
    book: Arc<Book>,
    peers: Arc<PeerHub>,
    telemetry: Recorded,
    /// Who sends on what is kept.
    exporter: Exporter,
    /// Who answers questions about spans.
    spans: Arc<dyn SpanStore>,
}

/// What a Baton is made of beside its settings.
pub(super) struct Parts {
    pub(super) strictness: Strictness,
    pub(super) keep: Keep,
    pub(super) fresh: Fresh,
    pub(super) locals: Arc<LocalAgents>,
    pub(super) book: Book,
}

impl Parts {
    fn of(locals: Arc<LocalAgents>, book: Book) -> Self {
        Self { strictness: Strictness::Lenient, keep: Keep::All, fresh: Fresh::Kept, locals, book }
    }
}

/// The agents of the settings that live here.
struct Locals {
    agents: Arc<LocalAgents>,
    /// Remarks about their files.
    diagnostics: Vec<Diagnostic>,
    /// Why they are not all that should be there.
    error: Option<LoadError>,
}

fn locals(settings: &Settings) -> Result<Locals, Failure> {
    let wanted = Wanted::all(settings);
    Ok(match agents::load_usable(wanted) {
        Ok(loaded) => Locals { agents: Arc::new(loaded.source), diagnostics: loaded.diagnostics, error: None },
        Err(error) => {
            let agents = Arc::new(agents::open(wanted)?.0);
            Locals { agents, diagnostics: Vec::new(), error: Some(error) }
        }
    })
}

/// Whether a Baton is of use without agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Somebody has to be there to be asked.
    Agents,
    /// The first agent may be made later.
    Nobody,
}

/// An identifier that never repeats.
pub(crate) fn fresh_id() -> String {
    TimeOrderedIds.fresh()
}

impl Baton {
    /// Loads the agents and takes the data directory; remarks about their files come along. A start that needs agents
    /// and finds none leaves no directory behind.
    pub(crate) async fn open(
        settings: &Settings,
        strictness: Strictness,
        needs: Needs,
    ) -> Result<(Self, Vec<Diagnostic>), Failure> {
        let Locals { agents: locals, diagnostics, error } = locals(settings)?;
        let book = elsewhere::book(settings, &locals)?;
        let is_fit = match &error {
            None => !locals.listed().is_empty() || needs == Needs::Nobody && settings.new_agents.is_some(),
            Some(LoadError::Empty { .. }) => needs == Needs::Nobody,
            Some(_) => false,
        };
        if !is_fit && book.agents().is_empty() {
            let invalid = || Failure::new(ErrorCode::AGENT_INVALID, "no agent can be served");
            return Err(error.as_ref().map_or_else(invalid, agents::not_loaded).at(diagnostics));
        }
        let parts = Parts { strictness, ..Parts::of(locals, book) };
        let baton = Self::of(settings, parts).await?;
        baton.models.look().await;
        Ok((baton, diagnostics))
    }

    /// Takes the data directory with whatever agents there are; none are needed.
    pub(crate) async fn open_for_managing(settings: &Settings) -> Result<Self, Failure> {
        let locals = locals(settings)?.agents;
        let book = elsewhere::book(settings, &locals)?;
        Self::of(settings, Parts::of(locals, book)).await
    }

    pub(super) async fn of(settings: &Settings, parts: Parts) -> Result<Self, Failure> {
        let Parts { strictness, keep, fresh, locals, book } = parts;
        let book = Arc::new(book);
        let asked = tempo::Asked::of(settings)?;
        let kept = Kept::open(keep, settings)?;
        if keep == Keep::All {
            locals.directories.keep_names();
        }
        let (telemetry, exporter) = telemetry::open(keep, settings)?;
        let peers = PeerHub::new(Arc::clone(&book), settings.public_url.as_deref()).with_tracer(telemetry.tracer());
        let peers = Arc::new(peers);
        let playbooks = Arc::new(match strictness {
            Strictness::Lenient => PlaybookModels::new(),
            Strictness::Strict => PlaybookModels::strict(),
        });
        let agents: Arc<dyn AgentSource> = Arc::new(AllAgents::new(fresh, Arc::clone(&locals), Arc::clone(&book)));
        let models = models::lineup(settings, Arc::clone(&agents), Arc::clone(&playbooks));
        let definitions = Arc::clone(&locals);
        let tools = tools::toolbox(Arc::clone(&agents), definitions, Arc::clone(&book), settings, telemetry.tracer())?;
        let ports = Ports {
            journal: kept.journal(),
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
        let defaults = baton_engine::Options::default();
        let push_deadline = settings.push.deadline.unwrap_or(defaults.push_deadline);
        let engine = Engine::new(baton_engine::Options { push_deadline, ..defaults }, ports);
        let engine = models::with_vectors(engine, &models, &settings.data)?;
        let reached = Arc::new(engine.clone());
        tools.attach(&reached);
        let tokens = TokenRegistry::open(kept.tokens(), Arc::new(SystemClock))
            .await
            .map_err(|error| unusable(&error, &settings.data))?;
        let telemetry = telemetry.follow(kept.journal());
        let spans = asked.beside(telemetry.store());
        Ok(Self {
            engine,
            _reached: reached,
            stopping: CancellationToken::new(),
            kept,
            agents,
            locals,
            tools: tools.toolbox,
            playbooks,
            models,
            tokens,
            book,
            peers,
            telemetry,
            exporter,
            spans,
        })
    }

    /// Looks again where the agents and the models come from; gives what cannot be used.
    pub(super) async fn look_again(&self) -> Vec<Unusable> {
        self.models.look().await;
        self.agents.refresh().await
    }

    /// Who answers for the agents, in words for people.
    pub(crate) fn answering(&self) -> Result<Answering, Failure> {
        models::answering(&self.models, &*self.agents)
    }

    /// Who finds the models of the agents.
    pub(super) fn models(&self) -> &Arc<Lineup> {
        &self.models
    }

    /// The tokens that were made for callers.
    pub(crate) fn tokens(&self) -> &TokenRegistry {
        &self.tokens
    }

    /// How many of them work.
    pub(crate) fn valid_tokens(&self) -> usize {
        let now = now();
        let valid = |token: &TokenRecord| token.revoked_at.is_none() && token.expires_at.is_none_or(|at| at > now);
        self.tokens.list().iter().filter(|token| valid(token)).count()
    }

    /// Who knows agents elsewhere.
    pub(super) fn peer_ports(&self) -> PeerPorts {
        PeerPorts { book: self.book.clone(), peers: self.peers.clone() }
    }

    /// Who runs tools.
    pub(super) fn tools(&self) -> &Arc<Toolbox> {
        &self.tools
    }

    /// Who writes words about tools into definitions.
    pub(super) fn permission_ports(&self) -> PermissionPorts {
        PermissionPorts { book: self.locals.clone() }
    }

    /// Who writes settings of sessions into definitions.
    pub(super) fn session_ports(&self) -> SessionPorts {
        SessionPorts { book: self.locals.clone() }
    }

    /// Who keeps spans.
    pub(super) fn span_ports(&self) -> SpanPorts {
        SpanPorts { store: self.spans.clone() }
    }

    /// Who sends on what is kept.
    pub(super) fn export_ports(&self) -> ExportPorts {
        ExportPorts { exports: Arc::new(self.exporter.counts()) }
    }

    /// Who counts and times.
    pub(super) fn meter_ports(&self) -> MeterPorts {
        MeterPorts { meters: self.telemetry.meters(), now: baton_spans::wall_clock }
    }

    /// Who makes spans at the edges.
    pub(super) fn tracer(&self) -> Tracer {
        self.telemetry.tracer()
    }

    /// Who runs tools for callers.
    pub(super) fn tool_ports(&self) -> ToolPorts {
        ToolPorts { host: self.tools.clone() }
    }

    /// Who connects to servers that requests bring.
    pub(super) fn guest_ports(&self) -> Option<GuestPorts> {
        self.tools.guests().map(|guests| GuestPorts { guests: guests.clone() })
    }

    /// Reads the cards of agents elsewhere, now and every few minutes, and notices changes of those that live here, in the
    /// background.
    pub(crate) fn keep_fresh(&self) {
        tokio::spawn(self.stopping.clone().run_until_cancelled_owned(Arc::clone(&self.book).keep_fresh()));
        tokio::spawn(self.stopping.clone().run_until_cancelled_owned(Arc::clone(&self.locals).watch()));
    }

    /// Who may come in when nobody needs to be known: tokens can be made, for later.
    pub(super) fn local_access(&self) -> AccessOptions {
        AccessOptions {
            tokens: Some(Arc::new(self.tokens.clone())),
            clock: Arc::new(SystemClock),
            ..AccessOptions::default()
        }
    }

    /// The agents that are served.
    pub(crate) fn agents(&self) -> Vec<Arc<AgentListing>> {
        self.engine.listed_agents()
    }

    /// A client that reaches this Baton through the HTTP app without a socket.
    pub(crate) fn client(&self) -> Client {
        self.client_with(None)
    }

    /// The same for MCP clients too; what they carry and their sessions are gone with the process, as they are.
    pub(crate) fn mcp_client(&self) -> Result<Client, Failure> {
        let ports = self.mcp_ports(None, OwnOptions::default(), Limits::default())?;
        Ok(self.client_with(Some(ports)))
    }

    fn client_with(&self, mcp: Option<McpPorts>) -> Client {
        let options = HttpOptions {
            access: self.local_access(),
            peers: Some(self.peer_ports()),
            tools: Some(self.tool_ports()),
            guests: self.guest_ports(),
            permissions: Some(self.permission_ports()),
            definitions: Some(self.definition_ports()),
            sessions: Some(self.session_ports()),
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

    /// Takes up what a dead process left behind, in the background.
    pub(crate) fn recover(&self, screen: Screen) {
        let engine = self.engine.clone();
        tokio::spawn(async move {
            match engine.recover().await {
                Ok(0) => {}
                Ok(runs) => screen.say(&format!("resumed {runs} unfinished run{}", if runs == 1 { "" } else { "s" })),
                Err(error) => tracing::error!(%error, "unfinished runs could not be taken up; restart to try again"),
            }
        });
    }

    /// Forgets ended tasks as the policy says, now and every hour, in the background.
    pub(crate) fn retain(&self, retention: Retention) {
        let journal = self.kept.journal();
        let stopping = self.stopping.clone();
        let caught_up = self.telemetry.caught_up();
        tokio::spawn(stopping.run_until_cancelled_owned(async move {
            // What is forgotten must have had its spans.
            caught_up.await;
            let mut hours = tokio::time::interval(RETENTION_PAUSE);
            loop {
                hours.tick().await;
                let policy = RetentionPolicy {
                    ended_before: retention.age.map(|age| before(now(), age)),
                    keep_ended: retention.keep,
                    spare_from: Some(before(now(), SPARED)),
                };
                match journal.retain(policy).await {
                    Ok(forgotten) => tracing::info!(forgotten, "retention"),
                    Err(error) => tracing::warn!(%error, "retention failed; it is tried again in an hour"),
                }
            }
        }));
    }

    /// Ends streams, and takes no more work.
    pub(super) fn stop(&self) {
        self.engine.stop();
        self.stopping.cancel();
    }

    /// Ends streams, lets runs reach their next journaled event, and lets the data directory go.
    pub(crate) async fn close(self) {
        self.stop();
        self.engine.shutdown(CHECKPOINT).await;
        // What does not close in time is ended when the servers are dropped.
        let _ = tokio::time::timeout(FAREWELL, self.tools.close()).await;
        self.telemetry.close().await;
        self.exporter.close(SENDING).await;
        self.kept.close().await;
    }

    /// Which playbook rules were never used and which messages found none; strict runs end with it.
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
        screen.say(&format!(
            "playbook: {used} of {} rules used; model calls without a rule: {}",
            report.rules.len(),
            report.missed
        ));
        for line in unused {
            screen.say(&line);
        }
        for miss in &report.misses {
            screen.say(&format!("  {}: no rule for {:?}", miss.agent, miss.user));
        }
        if report.missed > 0 { Exit::TaskFailed } else { Exit::Ok }
    }
}

/// Who tells receivers outside, wherever the settings let it.
fn push_sender(push: &Push) -> Result<PushSender, Failure> {
    let policy = AddressPolicy::allowing(&push.allow)
        .map_err(|error| Failure::new(ErrorCode::CONFIG_INVALID, format!("push.allow: {error}")))?;
    Ok(PushSender::new(|| GuardedClient::new(policy, &baton_outbound::Options::default())))
}

/// What time it is.
pub(crate) fn now() -> Timestamp {
    SystemClock.now()
}

fn before(moment: Timestamp, age: Duration) -> Timestamp {
    Timestamp::from_millis(moment.as_millis().saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX)))
}

pub(super) fn unusable(error: &JournalError, data: &Path) -> Failure {
    let shown = data.display();
    match error {
        JournalError::Locked(_) => {
            let who = ServerFile::read(data).map(|file| format!(" at {} (process {})", file.url, file.pid));
            let who = who.unwrap_or_default();
            let message = format!("another Baton{who} owns the data directory {shown}");
            let free = free_beside(data);
            Failure::new(error.code(), message).hint(format!(
                "Talk to the running one with `baton run`, or give this one a directory of its own: --data {}",
                free.display()
            ))
        }
        JournalError::Lost(_) => {
            let found = baton_local::journal_evidence(data).join(", ");
            let message = format!(
                "{shown} has no journal (journal.db is missing or empty), but other data of one: {found}; a new journal \
                 knows no tasks, sessions, tokens and budgets of the old one"
            );
            Failure::new(error.code(), message)
        }
        _ => Failure::new(error.code(), format!("{shown}: {error}")),
    }
}

/// A data directory with a name like this one's that nobody serves.
fn free_beside(data: &Path) -> PathBuf {
    let beside = |number: u32| {
        let mut name = data.as_os_str().to_owned();
        name.push(format!("-{number}"));
        PathBuf::from(name)
    };
    (2..100).map(beside).find(|path| ServerFile::read(path).is_none()).unwrap_or_else(|| beside(100))
}
