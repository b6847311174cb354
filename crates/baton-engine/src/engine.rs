//! The engine handle shared by all surfaces.

use crate::{
    EngineError,
    claims::ClaimLocks,
    hub::Hub,
    live::LiveTask,
    pins::DefinitionPins,
    push::{DeliveryQueue, PushConfigLocks},
    recover::ResumeCause,
    relevance::Relevance,
    remote_cancel::MAX_CONCURRENT_REMOTE_CANCELS,
    schema_cache::SchemaCache,
    usage_totals::UsageTotals,
};
use baton_ports::{
    AgentSource, CommitObserver, Journal, JournalError, ModelResolver, PeerGateway, StoredEvent, ToolHost,
    WebhookSender,
};
use baton_types::{Clock, IdGenerator, TaskId};
use foldhash::HashMap;
use parking_lot::Mutex;
use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Limits and settings of the engine.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// Maximum live tasks; further sends are rejected as busy.
    pub max_live: usize,
    /// Maximum length of a handoff chain.
    pub max_handoff_depth: usize,
    /// Timeout of a handoff.
    pub handoff_timeout: Duration,
    /// Lease holder name. Stable across restarts, so that the process can reclaim its own leases.
    pub holder: String,
    /// A notification that cannot be delivered for this long is dropped.
    pub push_deadline: Duration,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            max_live: 16_384,
            max_handoff_depth: 5,
            handoff_timeout: Duration::from_secs(300),
            holder: "local".to_owned(),
            push_deadline: Duration::from_secs(24 * 60 * 60),
        }
    }
}

/// Dependencies of the engine.
#[derive(Clone)]
pub struct Ports {
    /// Durable event store.
    pub journal: Arc<dyn Journal>,
    /// Model registry.
    pub models: Arc<dyn ModelResolver>,
    /// Tool host.
    pub tools: Arc<dyn ToolHost>,
    /// Source of agent definitions.
    pub agents: Arc<dyn AgentSource>,
    /// Client for remote agents.
    pub peers: Arc<dyn PeerGateway>,
    /// Client for push notifications.
    pub webhooks: Arc<dyn WebhookSender>,
    /// Additional observer of every commit, in order; must not block.
    pub watch: Option<Arc<dyn CommitObserver>>,
    /// Clock.
    pub clock: Arc<dyn Clock>,
    /// Id generator.
    pub ids: Arc<dyn IdGenerator>,
}

/// Runs agents. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<EngineInner>,
}

pub(crate) struct EngineInner {
    pub(crate) options: EngineOptions,
    pub(crate) ports: Ports,
    pub(crate) hub: Arc<Hub>,
    pub(crate) pins: DefinitionPins,
    pub(crate) live: Mutex<HashMap<TaskId, Arc<LiveTask>>>,
    /// Opening a task takes a new epoch, so two openings of one task must not overlap.
    pub(crate) opening: [tokio::sync::Mutex<()>; 32],
    /// Pending push notifications.
    pub(crate) delivery_queue: Arc<DeliveryQueue>,
    pub(crate) push_config_locks: PushConfigLocks,
    pub(crate) dispatcher_started: AtomicBool,
    /// Sends with the same idempotency key must not overlap.
    pub(crate) claims: ClaimLocks,
    pub(crate) remote_cancels_started: AtomicBool,
    /// Permits for concurrent remote cancels.
    pub(crate) remote_cancel_permits: tokio::sync::Semaphore,
    /// Selection of knowledge relevant to a request.
    pub(crate) relevance: Relevance,
    /// Cache of schemas for arguments and answers.
    pub(crate) schemas: SchemaCache,
    /// Usage totals of sessions and agents with budgets.
    pub(crate) usage_totals: Arc<UsageTotals>,
    pub(crate) stopping: CancellationToken,
    pub(crate) drivers: TaskTracker,
}

impl Engine {
    /// Creates an idle engine. [`Engine::recover`] resumes unfinished runs and pending notifications.
    pub fn new(options: EngineOptions, ports: Ports) -> Self {
        let (hub, delivery_queue) = (Hub::new(), Arc::new(DeliveryQueue::default()));
        ports.journal.observe(Arc::new(CommitFanout {
            hub: Arc::clone(&hub),
            delivery_queue: Arc::clone(&delivery_queue),
            watch: ports.watch.clone(),
        }));
        let inner = EngineInner {
            options,
            ports,
            hub,
            pins: DefinitionPins::default(),
            live: Mutex::default(),
            opening: std::array::from_fn(|_| tokio::sync::Mutex::new(())),
            delivery_queue,
            push_config_locks: PushConfigLocks::default(),
            dispatcher_started: AtomicBool::new(false),
            claims: ClaimLocks::default(),
            remote_cancels_started: AtomicBool::new(false),
            remote_cancel_permits: tokio::sync::Semaphore::new(MAX_CONCURRENT_REMOTE_CANCELS),
            relevance: Relevance::default(),
            schemas: SchemaCache::default(),
            usage_totals: Arc::default(),
            stopping: CancellationToken::new(),
            drivers: TaskTracker::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Whether the engine accepts work and the journal is healthy.
    pub fn ready(&self) -> bool {
        !self.inner.stopping.is_cancelled() && self.inner.ports.journal.healthy()
    }

    /// A new unique id.
    pub fn fresh_id(&self) -> String {
        self.inner.ports.ids.next_id()
    }

    /// Current time.
    pub fn now(&self) -> baton_types::Timestamp {
        self.inner.ports.clock.now()
    }

    /// The agent with this name.
    pub fn agent(&self, name: &baton_types::AgentName) -> Option<Arc<baton_types::AgentSpec>> {
        self.inner.ports.agents.agent(name)
    }

    /// Source of agent definitions.
    pub fn agent_source(&self) -> Arc<dyn baton_ports::AgentSource> {
        Arc::clone(&self.inner.ports.agents)
    }

    /// Listings of all agents.
    pub fn listed_agents(&self) -> Vec<Arc<baton_types::AgentListing>> {
        self.inner.ports.agents.listings()
    }

    /// The only local agent, when there is exactly one.
    pub fn sole_agent(&self) -> Option<Arc<baton_types::AgentSpec>> {
        self.inner.ports.agents.sole_local_agent()
    }

    /// Estimated token count of texts for an agent's model. Suitable for limits, not for billing.
    pub fn tokens_of(&self, agent: &baton_types::AgentSpec, texts: &[&str]) -> u64 {
        match self.inner.ports.models.model(agent) {
            Ok(model) => texts.iter().map(|text| model.tokens(text)).sum(),
            Err(_) => texts.iter().map(|text| u64::try_from(text.len().div_ceil(4)).unwrap_or(u64::MAX)).sum(),
        }
    }

    /// Starts the shutdown. Running tasks resume at the next start, so a dropped wait no longer cancels its task.
    ///
    /// Surfaces that end their requests on shutdown must be stopped after the engine.
    pub fn stop(&self) {
        self.inner.stopping.cancel();
    }

    /// Stops accepting work and lets runs reach their next journaled event, for at most `bound`.
    pub async fn shutdown(&self, bound: Duration) {
        self.stop();
        self.inner.drivers.close();
        if tokio::time::timeout(bound, self.inner.drivers.wait()).await.is_err() {
            tracing::warn!(
                runs = self.inner.live.lock().len(),
                "stopping with runs in progress; they resume at the next start"
            );
        }
        self.inner.hub.close();
    }
}

/// Forwards commits to the task feeds, then to the delivery queue and the external observer.
struct CommitFanout {
    hub: Arc<Hub>,
    delivery_queue: Arc<DeliveryQueue>,
    watch: Option<Arc<dyn CommitObserver>>,
}

impl CommitObserver for CommitFanout {
    fn on_commit(&self, events: &[Arc<StoredEvent>]) {
        self.hub.on_commit(events);
        self.delivery_queue.on_commit(events);
        if let Some(watch) = &self.watch {
            watch.on_commit(events);
        }
    }
}

impl EngineInner {
    pub(crate) fn journal(&self) -> &dyn Journal {
        &*self.ports.journal
    }

    pub(crate) fn ensure_accepting(&self) -> Result<(), EngineError> {
        if self.stopping.is_cancelled() {
            return Err(EngineError::ShuttingDown);
        }
        if self.live.lock().len() >= self.options.max_live {
            return Err(EngineError::Journal(JournalError::Busy));
        }
        Ok(())
    }

    /// The journal rejected an event, so the state in memory is invalid. Drops it and schedules a resume.
    pub(crate) fn handle_journal_error(self: &Arc<Self>, live: &Arc<LiveTask>, error: &JournalError) {
        tracing::warn!(task = %live.id, %error, "the journal rejected an event; the task is resumed from its journaled state");
        if live.retire() {
            live.cancel.cancel();
            self.forget(live);
        }
        live.feed.fail(&EngineError::Journal(error.clone()));
        self.resume_later(live.id.clone(), ResumeCause::JournalRejection);
    }

    /// Retires the task and removes it from the live tasks.
    pub(crate) fn retire(&self, live: &Arc<LiveTask>) {
        live.retire();
        self.forget(live);
    }

    /// Removes a live task that is idle.
    pub(crate) fn release_if_idle(&self, live: &Arc<LiveTask>) {
        if live.retire_if_idle() {
            self.forget(live);
        }
    }

    fn forget(&self, live: &Arc<LiveTask>) {
        let mut map = self.live.lock();
        if map.get(&live.id).is_some_and(|current| Arc::ptr_eq(current, live)) {
            map.remove(&live.id);
        }
    }
}
