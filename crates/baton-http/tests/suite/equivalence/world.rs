//! A fresh engine whose every choice is the same in every life, and the record of all that it did.

use super::model::Scripted;
use crate::world::{Counted, Deaf, Served, Ticking, Weather, agent, options};
use axum::Router;
use baton_engine::{Engine, EngineOptions, ListTasks, Ports};
use baton_http::app;
use baton_journal::MemoryJournal;
use baton_ports::{Journal as _, OutboxEntry, StoredEvent, StreamHead, StreamQuery};
use baton_types::{ControlTools, Principal, StreamId, TaskView};
use std::{collections::BTreeMap, sync::Arc, time::Duration};

/// Idempotency keys that conversations use.
pub(super) const KEYS: [&str; 2] = ["key-1", "key-2"];

/// Time stands still while anything can still happen, so whoever waits this long waits for ever.
pub(super) const IDLE: Duration = Duration::from_millis(1);

/// Everything that happened is over.
pub(super) async fn settled() {
    tokio::time::sleep(IDLE).await;
}

/// Where the agent is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It is the only one, at the root.
    Sole,
    /// It is one of two, under its own path.
    Named,
    /// It is one of two, and the tenant says which.
    Tenant,
}

/// What the world is like.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setup {
    pub(super) place: Place,
    /// Whether the agent may reply without a task.
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
            models: Arc::new(Scripted),
            tools: Arc::new(Weather),
            agents: Arc::new(Served(served.collect())),
            peers: Arc::new(baton_engine::NoPeers),
            webhooks: Arc::new(Deaf),
            watch: None,
            clock: Arc::new(Ticking::default()),
            ids: Arc::new(Counted::default()),
        };
        let engine = Engine::new(EngineOptions::default(), ports);
        let router = app(engine.clone(), options());
        Self { place: setup.place, router, engine, journal }
    }

    /// The tasks so far, oldest first.
    pub(super) async fn tasks(&self) -> Vec<Arc<TaskView>> {
        let query = ListTasks { agent: None, context: None, state: None, status_after: None, after: None, limit: 100 };
        let mut tasks = self.engine.tasks(&Arc::new(Principal::local()), &query).await.unwrap().tasks;
        tasks.sort_by_key(|task| task.id.as_str().trim_start_matches("id-").parse::<u64>().unwrap());
        tasks
    }

    /// Everything that became true.
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

/// All that the journal holds. Nothing is delivered from its outbox, because two receivers are told in any order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) events: Vec<StoredEvent>,
    pub(super) heads: Vec<StreamHead>,
    pub(super) outbox: Vec<OutboxEntry>,
    /// What became of idempotency keys; the digests of requests are left out, because they cover what a dialect loses.
    pub(super) claims: BTreeMap<&'static str, Option<(StreamId, u64)>>,
}
