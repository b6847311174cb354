//! Telling agents elsewhere that nobody waits any more: owed from the commit that ended the task until they know.

use crate::{EngineError, engine::Inner, run::unheard, send::internal};
use baton_ports::{OutboxEntry, OutboxProgress, PeerAsk, PeerError};
use baton_rules::Task;
use baton_types::{AgentName, ErrorCode, Json, Message, MessageId, Principal, Role, StreamId, TaskId, Timestamp};
use serde::{Deserialize, Serialize};
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

/// Which standing orders these are.
const CHANNEL: &str = "farewell";

/// Orders read at once.
const PAGE: usize = 512;

/// Farewells that are said at the same time; others wait for their turn.
pub(crate) const TOGETHER: usize = 64;

/// Between two tries, which take half a minute each themselves.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(10 * 60);

/// After this the agent elsewhere is left to its own limits.
const DEADLINE: Duration = Duration::from_secs(24 * 60 * 60);

/// What is to be told, and to whom.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Farewell {
    agent: AgentName,
    /// Its task, when that is known.
    task: Option<String>,
    /// The words that it may have, which are then looked for and never said.
    sought: Option<Sought>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Sought {
    message: MessageId,
    context: String,
    /// The task there that the words continue.
    task: Option<String>,
}

impl Farewell {
    /// What is owed to the agent elsewhere that works on a task, if anything.
    pub(crate) fn to(task: &Task, owner: &Principal) -> Option<Self> {
        let known = task.peer.as_ref().and_then(|place| place.task.clone());
        let asked = unheard(task, owner, None).map(|(ask, _)| ask);
        if known.is_none() && asked.is_none() {
            return None;
        }
        let sought = asked.filter(|_| known.is_none()).map(|ask| Sought {
            message: ask.message.id,
            context: ask.context,
            task: ask.task,
        });
        Some(Self { agent: task.agent.clone(), task: known, sought })
    }

    /// The standing order, written with the end of the task.
    pub(crate) fn entry(&self, task: &Task, now: Timestamp) -> Result<OutboxEntry, EngineError> {
        Ok(OutboxEntry {
            id: format!("{CHANNEL}-{}", task.id),
            channel: CHANNEL.to_owned(),
            stream: StreamId::Task(task.id.clone()),
            body: Json::of(self).map_err(|error| internal(&error.to_string()))?,
            progress: OutboxProgress { cursor: 0, due_at: now, attempts: 0, failing_since: Some(now), open: true },
        })
    }
}

impl Inner {
    /// Says what an earlier process could not say any more, once the journal tells what that is.
    pub(crate) fn say_owed_farewells(self: &Arc<Self>) {
        if self.farewells_begun.swap(true, Ordering::Relaxed) {
            return;
        }
        let inner = Arc::clone(self);
        self.drivers.spawn(async move {
            let stopping = inner.stopping.clone();
            let saying = async {
                while let Err(error) = inner.say_all_owed().await {
                    tracing::debug!(%error, "still waiting for the journal to say farewells");
                    tokio::time::sleep(FIRST_PAUSE).await;
                }
            };
            stopping.run_until_cancelled(saying).await;
        });
    }

    async fn say_all_owed(self: &Arc<Self>) -> Result<(), EngineError> {
        let mut after = None;
        loop {
            let page = self.journal().outbox_open(CHANNEL, after.take(), PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.id.clone());
            self.say_these(page);
        }
    }

    /// Says what is owed about one task, whose end was written although the journal seemed to refuse it.
    pub(crate) async fn say_owed_farewell(self: &Arc<Self>, task: &TaskId) -> Result<(), EngineError> {
        let owed = self.journal().outbox(CHANNEL, &StreamId::Task(task.clone())).await?;
        self.say_these(owed);
        Ok(())
    }

    fn say_these(self: &Arc<Self>, orders: Vec<OutboxEntry>) {
        for order in orders {
            match order.body.read::<Farewell>() {
                Ok(farewell) => self.say_farewell(order, farewell),
                Err(error) => tracing::error!(order = order.id, %error, "a farewell cannot be read"),
            }
        }
    }

    /// Tells the agent elsewhere, again and again if need be, in the background.
    pub(crate) fn say_farewell(self: &Arc<Self>, order: OutboxEntry, farewell: Farewell) {
        let inner = Arc::clone(self);
        let until = order.progress.due_at.after(DEADLINE);
        self.drivers.spawn(async move {
            let stopping = inner.stopping.clone();
            stopping.run_until_cancelled(inner.keep_telling(&order.id, &farewell, until)).await;
        });
    }

    async fn keep_telling(&self, order: &str, farewell: &Farewell, until: Timestamp) {
        let mut pause = FIRST_PAUSE;
        loop {
            let told = match self.farewells.acquire().await {
                Ok(_turn) => self.tell(farewell).await,
                Err(_) => return,
            };
            match told {
                Ok(()) => break,
                Err(PeerError::Unreached { code, .. })
                    if code != ErrorCode::AGENT_NOT_FOUND && self.ports.clock.now() < until => {}
                Err(error) => {
                    tracing::warn!(agent = %farewell.agent, %error, "a task elsewhere could not be canceled");
                    break;
                }
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        if let Err(error) = self.journal().outbox_remove(order).await {
            tracing::warn!(order, %error, "a farewell that was said will be said again at the next start");
        }
    }

    async fn tell(&self, farewell: &Farewell) -> Result<(), PeerError> {
        let peers = &self.ports.peers;
        let task = match (&farewell.task, &farewell.sought) {
            (None, Some(sought)) => {
                let Sought { message, context, task } = sought.clone();
                let message = Message::new(message, Role::User, Vec::new());
                peers.find(&farewell.agent, PeerAsk { message, context, task, trace: None, depth: 0 }).await?
            }
            (known, _) => known.clone(),
        };
        match task {
            Some(task) => peers.cancel(&farewell.agent, &task).await,
            None => Ok(()),
        }
    }
}
