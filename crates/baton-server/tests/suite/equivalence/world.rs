//! A new deterministic engine and the record of its journal.

use super::model::KeywordModel;
use crate::world::{DiscardingWebhooks, SequentialIds, StaticAgents, TickingClock, WeatherTools, agent, options};
use axum::Router;
use baton_engine::{Engine, EngineOptions, ListTasks, Ports};
use baton_journal::MemoryJournal;
use baton_ports::{Journal as _, OutboxEntry, StoredEvent, StreamHead, StreamQuery};
use baton_server::app;
use baton_types::{ControlTools, Principal, StreamId, TaskView};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// Idempotency keys of the conversations.
pub(super) const KEYS: [&str; 2] = ["key-1", "key-2"];

/// Paused time advances only when every task is idle, so a request that is pending after this time never completes.
pub(super) const IDLE: Duration = Duration::from_millis(1);

/// Waits until all pending work is done.
pub(super) async fn wait_until_idle() {
    tokio::time::sleep(IDLE).await;
}

/// Address of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The only agent, at the root.
    Sole,
    /// One of two agents, under its own path.
    Named,
    /// One of two agents, selected by the tenant.
    Tenant,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Setup {
    pub(super) place: Place,
    /// Whether the agent may reply with a message instead of a task.
    pub(super) bare_replies: bool,
}

pub(super) struct World {
    pub(super) place: Place,
    pub(super) router: Router,
    engine: Engine,
    journal: MemoryJournal,
}

impl World {
    pub(super) fn new(setup: Setup) -> Self {
        let journal = MemoryJournal::new();
        let names: &[&str] = if setup.place == Place::Sole { &["weather"] } else { &["clock", "weather"] };
        let served = names.iter().map(|name| {
            let mut agent = agent(name);
            agent.control_tools = ControlTools {
                emit_artifact: true,
                ask_user: true,
                reject_task: true,
                reply_message: setup.bare_replies,
            };
            Arc::new(agent)
        });
        let ports = Ports {
            journal: Arc::new(journal.clone()),
            models: Arc::new(KeywordModel),
            tools: Arc::new(WeatherTools),
            agents: Arc::new(StaticAgents(served.collect())),
            peers: Arc::new(baton_engine::NoPeers),
            webhooks: Arc::new(DiscardingWebhooks),
            watch: None,
            clock: Arc::new(TickingClock::default()),
            ids: Arc::new(SequentialIds::default()),
        };
        let engine = Engine::new(EngineOptions::default(), ports);
        let router = app(engine.clone(), options());
        Self { place: setup.place, router, engine, journal }
    }

    /// All tasks, oldest first.
    pub(super) async fn tasks(&self) -> Vec<Arc<TaskView>> {
        let query = ListTasks { agent: None, context: None, state: None, status_after: None, after: None, limit: 100 };
        let mut tasks = self.engine.tasks(&Arc::new(Principal::local()), &query).await.unwrap().tasks;
        tasks.sort_by_key(|task| task.id.as_str().trim_start_matches("id-").parse::<u64>().unwrap());
        tasks
    }

    pub(super) async fn record(&self) -> Record {
        let events = self.journal.tail(0, 100_000).await.unwrap();
        let principal = Principal::local();
        let heads = self.journal.list(&principal, &StreamQuery::tasks(1_000)).await.unwrap().heads;
        let mut outbox = Vec::new();
        for head in &heads {
            outbox.extend(self.journal.outbox("push", &head.stream).await.unwrap());
        }
        let mut claims = BTreeMap::new();
        for key in KEYS {
            let claim = self.journal.claim(&principal, key).await.unwrap();
            claims.insert(key, claim.map(|claim| (claim.stream, claim.number)));
        }
        Record { events: events.iter().map(|event| (**event).clone()).collect(), heads, outbox, claims }
    }
}

/// Content of the journal. Outbox entries are not delivered, because the order of two receivers is not fixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) events: Vec<StoredEvent>,
    pub(super) heads: Vec<StreamHead>,
    pub(super) outbox: Vec<OutboxEntry>,
    /// Claims of idempotency keys, without request digests, because digests cover fields that a dialect drops.
    pub(super) claims: BTreeMap<&'static str, Option<(StreamId, u64)>>,
}
