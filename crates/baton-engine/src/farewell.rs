//! Cancels tasks of remote agents whose results are no longer needed. The outbox entry is open from the commit that
//! ended the local task until the remote agent has acknowledged.

use crate::{EngineError, engine::Inner, run::unheard, send::internal};
use baton_ports::{OutboxEntry, OutboxProgress, PeerAsk, PeerError};
use baton_rules::Task;
use baton_types::{AgentName, ErrorCode, Json, Message, MessageId, Principal, Role, StreamId, TaskId, Timestamp};
use serde::{Deserialize, Serialize};
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

/// Outbox channel of remote cancels.
const CHANNEL: &str = "farewell";

/// Outbox entries read per page.
const PAGE: usize = 512;

/// Maximum concurrent remote cancels.
pub(crate) const TOGETHER: usize = 64;

/// Delay between attempts; each attempt takes up to half a minute.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(10 * 60);

/// Time after which retries stop and the remote agent is left to its own limits.
const DEADLINE: Duration = Duration::from_secs(24 * 60 * 60);

/// Outbox body of a remote cancel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Farewell {
    agent: AgentName,
    /// Remote task id, if known.
    task: Option<String>,
    /// Message that the remote agent may have received; used to find its task, never sent.
    sought: Option<Sought>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Sought {
    message: MessageId,
    context: String,
    /// The remote task that the message continues.
    task: Option<String>,
}

impl Farewell {
    /// The remote cancel that the task needs, if any.
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

    /// Outbox entry, committed with the end of the task.
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
    /// Resumes remote cancels left by an earlier process, once the journal can be read.
    pub(crate) fn say_owed_farewells(self: &Arc<Self>) {
        if self.farewells_begun.swap(true, Ordering::Relaxed) {
            return;
        }
        let inner = Arc::clone(self);
        self.drivers.spawn(async move {
            let stopping = inner.stopping.clone();
            let saying = async {
                while let Err(error) = inner.say_all_owed().await {
                    tracing::debug!(%error, "still waiting for the journal to read pending remote cancels");
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

    /// Resumes the remote cancel of one task whose end was journaled despite a journal error.
    pub(crate) async fn say_owed_farewell(self: &Arc<Self>, task: &TaskId) -> Result<(), EngineError> {
        let owed = self.journal().outbox(CHANNEL, &StreamId::Task(task.clone())).await?;
        self.say_these(owed);
        Ok(())
    }

    fn say_these(self: &Arc<Self>, orders: Vec<OutboxEntry>) {
        for order in orders {
            match order.body.read::<Farewell>() {
                Ok(farewell) => self.say_farewell(order, farewell),
                Err(error) => tracing::error!(order = order.id, %error, "a stored remote cancel cannot be read"),
            }
        }
    }

    /// Cancels the remote task in the background, with retries.
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
                    tracing::warn!(agent = %farewell.agent, %error, "a remote task could not be canceled");
                    break;
                }
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        if let Err(error) = self.journal().outbox_remove(order).await {
            tracing::warn!(order, %error, "a finished remote cancel could not be removed; it will be repeated at the next start");
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
