//! The handle that surfaces hold.

use crate::{
    EngineError,
    claims::ClaimLocks,
    farewell::TOGETHER,
    forms::Forms,
    hub::Hub,
    live::LiveTask,
    pins::Pins,
    push::{Orders, PlaceLocks},
    recover::After,
    relevance::Relevance,
    tallies::Tallies,
};
use baton_ports::{
    AgentSource, Clock, CommitObserver, Ids, Journal, JournalError, Models, Peers, StoredEvent, ToolHost, Webhooks,
};
use baton_types::TaskId;
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Bounds of the engine.
#[derive(Clone, Debug)]
pub struct Options {
    /// Tasks in progress at the same time; more are refused as busy.
    pub max_live: usize,
    /// Handoffs in a chain.
    pub max_handoff_depth: usize,
    /// A handoff fails after this long.
    pub handoff_timeout: Duration,
    /// Who holds leases; the same name after a restart, so that it may take its own work up again.
    pub holder: String,
    /// A notification that no try could deliver for so long is given up.
    pub push_deadline: Duration,
}

impl Default for Options {
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

/// The world that the engine drives.
#[derive(Clone)]
pub struct Ports {
    /// Where facts become true.
    pub journal: Arc<dyn Journal>,
    /// Who answers.
    pub models: Arc<dyn Models>,
    /// Who acts.
    pub tools: Arc<dyn ToolHost>,
    /// Who is served.
    pub agents: Arc<dyn AgentSource>,
    /// Who speaks with agents elsewhere.
    pub peers: Arc<dyn Peers>,
    /// Who tells receivers outside.
    pub webhooks: Arc<dyn Webhooks>,
    /// Who else hears of every commit, in order; must not block.
    pub watch: Option<Arc<dyn CommitObserver>>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Fresh ids.
    pub ids: Arc<dyn Ids>,
}

/// Runs agents; cheap to clone, and every surface has one.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) options: Options,
    pub(crate) ports: Ports,
    pub(crate) hub: Arc<Hub>,
    pub(crate) pins: Pins,
    pub(crate) live: Mutex<HashMap<TaskId, Arc<LiveTask>>>,
    /// Opening a task takes a new epoch, so two openings of one task must not overlap.
    pub(crate) opening: [tokio::sync::Mutex<()>; 32],
    /// Notifications that are owed to the outside.
    pub(crate) orders: Arc<Orders>,
    pub(crate) places: PlaceLocks,
    pub(crate) courier_started: AtomicBool,
    /// Sends under the same idempotency key must not overlap.
    pub(crate) claims: ClaimLocks,
    pub(crate) farewells_begun: AtomicBool,
    /// Farewells that are said at the same time.
    pub(crate) farewells: tokio::sync::Semaphore,
    /// What has to do with what is asked.
    pub(crate) relevance: Relevance,
    /// Schemas of arguments and answers.
    pub(crate) forms: Forms,
    /// What sessions and agents with budgets have used up.
    pub(crate) tallies: Arc<Tallies>,
    pub(crate) stopping: CancellationToken,
    pub(crate) drivers: TaskTracker,
}

impl Engine {
    /// An engine at rest; call [`Engine::recover`] to take up unfinished runs and owed notifications.
    pub fn new(options: Options, ports: Ports) -> Self {
        let (hub, orders) = (Hub::new(), Arc::new(Orders::default()));
        ports.journal.observe(Arc::new(Told {
            hub: Arc::clone(&hub),
            orders: Arc::clone(&orders),
            watch: ports.watch.clone(),
        }));
        let inner = Inner {
            options,
            ports,
            hub,
            pins: Pins::default(),
            live: Mutex::default(),
            opening: std::array::from_fn(|_| tokio::sync::Mutex::new(())),
            orders,
            places: PlaceLocks::default(),
            courier_started: AtomicBool::new(false),
            claims: ClaimLocks::default(),
            farewells_begun: AtomicBool::new(false),
            farewells: tokio::sync::Semaphore::new(TOGETHER),
            relevance: Relevance::default(),
            forms: Forms::default(),
            tallies: Arc::default(),
            stopping: CancellationToken::new(),
            drivers: TaskTracker::new(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Whether new work is accepted and the journal works.
    pub fn ready(&self) -> bool {
        !self.inner.stopping.is_cancelled() && self.inner.ports.journal.healthy()
    }

    /// An id that nothing has yet.
    pub fn fresh_id(&self) -> String {
        self.inner.ports.ids.fresh()
    }

    /// What time it is.
    pub fn now(&self) -> baton_types::Timestamp {
        self.inner.ports.clock.now()
    }

    /// One of the agents that are served.
    pub fn agent(&self, name: &baton_types::AgentName) -> Option<Arc<baton_types::AgentSpec>> {
        self.inner.ports.agents.agent(name)
    }

    /// The agents that are served, as lists show them.
    pub fn listed_agents(&self) -> Vec<Arc<baton_types::AgentListing>> {
        self.inner.ports.agents.listed()
    }

    /// The agent that lives here, when exactly one does.
    pub fn sole_agent(&self) -> Option<Arc<baton_types::AgentSpec>> {
        self.inner.ports.agents.sole()
    }

    /// About how many tokens texts are for the model of an agent; for bounds, never for bills.
    pub fn tokens_of(&self, agent: &baton_types::AgentSpec, texts: &[&str]) -> u64 {
        match self.inner.ports.models.model(agent) {
            Ok(model) => texts.iter().map(|text| model.tokens(text)).sum(),
            Err(_) => texts.iter().map(|text| u64::try_from(text.len().div_ceil(4)).unwrap_or(u64::MAX)).sum(),
        }
    }

    /// Begins to stop: what runs is left to the next start, so whoever stops waiting for it from now on cancels nothing.
    ///
    /// Surfaces that end their requests when this process stops must be told after the engine.
    pub fn stop(&self) {
        self.inner.stopping.cancel();
    }

    /// Stops taking work and lets runs reach their next journaled event, for at most `bound`.
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

/// Who hears of commits: those who follow tasks here first, then those outside.
struct Told {
    hub: Arc<Hub>,
    orders: Arc<Orders>,
    watch: Option<Arc<dyn CommitObserver>>,
}

impl CommitObserver for Told {
    fn committed(&self, events: &[Arc<StoredEvent>]) {
        self.hub.committed(events);
        self.orders.committed(events);
        if let Some(watch) = &self.watch {
            watch.committed(events);
        }
    }
}

impl Inner {
    pub(crate) fn journal(&self) -> &dyn Journal {
        &*self.ports.journal
    }

    pub(crate) fn accepting(&self) -> Result<(), EngineError> {
        if self.stopping.is_cancelled() {
            return Err(EngineError::ShuttingDown);
        }
        if self.live.lock().len() >= self.options.max_live {
            return Err(EngineError::Journal(JournalError::Busy));
        }
        Ok(())
    }

    /// The journal refused what the memory took for granted: forget the memory, look again later.
    pub(crate) fn broke(self: &Arc<Self>, live: &Arc<LiveTask>, error: &JournalError) {
        tracing::warn!(task = %live.id, %error, "the journal refused an event; the task is taken up again from what it holds");
        if live.retire() {
            live.cancel.cancel();
            self.forget(live);
        }
        live.feed.fail(&EngineError::Journal(error.clone()));
        self.take_up_later(live.id.clone(), After::Refusal);
    }

    /// Nobody changes the task any more.
    pub(crate) fn retire(&self, live: &Arc<LiveTask>) {
        live.retire();
        self.forget(live);
    }

    /// A task that was opened for nothing is put away again.
    pub(crate) fn rest(&self, live: &Arc<LiveTask>) {
        if live.retire_if_idle() {
            self.forget(live);
        }
    }

    fn forget(&self, live: &Arc<LiveTask>) {
        let mut map = self.live.lock();
        if map.get(&live.id).is_some_and(|held| Arc::ptr_eq(held, live)) {
            map.remove(&live.id);
        }
    }
}
