//! Cancels tasks of remote agents whose results are no longer needed. The outbox entry is open from the commit that
//! ended the local task until the remote agent has acknowledged.

use crate::{EngineError, engine::EngineInner, retry::REMOTE_CANCEL_RETRY, run::pending_peer_request, send::internal};
use baton_ports::{OutboxEntry, OutboxProgress, PeerError, PeerRequest};
use baton_rules::TaskRecord;
use baton_types::{
    AgentName, Backoff, ErrorCode, Json, Message, MessageId, Principal, Role, StreamId, TaskId, Timestamp,
};
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
pub(crate) const MAX_CONCURRENT_REMOTE_CANCELS: usize = 64;

/// Delay between attempts to read the pending remote cancels.
const READ_RETRY_DELAY: Duration = Duration::from_secs(5);

/// Time after which retries stop and the remote agent is left to its own limits.
const DEADLINE: Duration = Duration::from_secs(24 * 60 * 60);

/// Outbox body of a remote cancel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RemoteCancel {
    agent: AgentName,
    /// Remote task id, if known.
    task: Option<String>,
    /// Message that the remote agent may have received; used to find its task, never sent.
    sought: Option<RemoteTaskLookup>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct RemoteTaskLookup {
    message: MessageId,
    context: String,
    /// The remote task that the message continues.
    task: Option<String>,
}

impl RemoteCancel {
    /// The remote cancel that the task needs, if any.
    pub(crate) fn from_task(task: &TaskRecord, owner: &Principal) -> Option<Self> {
        let remote_task = task.peer.as_ref().and_then(|peer| peer.task.clone());
        let request = pending_peer_request(task, owner, None).map(|(request, _)| request);
        if remote_task.is_none() && request.is_none() {
            return None;
        }
        let sought = request.filter(|_| remote_task.is_none()).map(|request| RemoteTaskLookup {
            message: request.message.id,
            context: request.context,
            task: request.task,
        });
        Some(Self { agent: task.agent.clone(), task: remote_task, sought })
    }

    /// Outbox entry, committed with the end of the task.
    pub(crate) fn entry(&self, task: &TaskRecord, now: Timestamp) -> Result<OutboxEntry, EngineError> {
        Ok(OutboxEntry {
            id: format!("{CHANNEL}-{}", task.id),
            channel: CHANNEL.to_owned(),
            stream: StreamId::Task(task.id.clone()),
            body: Json::from_serializable(self).map_err(|error| internal(&error.to_string()))?,
            progress: OutboxProgress { cursor: 0, due_at: now, attempts: 0, failing_since: Some(now), open: true },
        })
    }
}

impl EngineInner {
    /// Resumes remote cancels left by an earlier process, once the journal can be read.
    pub(crate) fn resume_remote_cancels(self: &Arc<Self>) {
        if self.remote_cancels_started.swap(true, Ordering::Relaxed) {
            return;
        }
        let inner = Arc::clone(self);
        self.drivers.spawn(async move {
            let stopping = inner.stopping.clone();
            let resume = async {
                while let Err(error) = inner.resume_all_remote_cancels().await {
                    tracing::debug!(%error, "still waiting for the journal to read pending remote cancels");
                    tokio::time::sleep(READ_RETRY_DELAY).await;
                }
            };
            stopping.run_until_cancelled(resume).await;
        });
    }

    async fn resume_all_remote_cancels(self: &Arc<Self>) -> Result<(), EngineError> {
        let mut after = None;
        loop {
            let page = self.journal().outbox_open(CHANNEL, after.take(), PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.id.clone());
            self.spawn_remote_cancels(page);
        }
    }

    /// Resumes the remote cancel of one task whose end was journaled despite a journal error.
    pub(crate) async fn resume_remote_cancel(self: &Arc<Self>, task: &TaskId) -> Result<(), EngineError> {
        let entries = self.journal().outbox(CHANNEL, &StreamId::Task(task.clone())).await?;
        self.spawn_remote_cancels(entries);
        Ok(())
    }

    fn spawn_remote_cancels(self: &Arc<Self>, entries: Vec<OutboxEntry>) {
        for entry in entries {
            match entry.body.read::<RemoteCancel>() {
                Ok(cancel) => self.spawn_remote_cancel(entry, cancel),
                Err(error) => tracing::error!(order = entry.id, %error, "a stored remote cancel cannot be read"),
            }
        }
    }

    /// Cancels the remote task in the background, with retries.
    pub(crate) fn spawn_remote_cancel(self: &Arc<Self>, entry: OutboxEntry, cancel: RemoteCancel) {
        let inner = Arc::clone(self);
        let until = entry.progress.due_at.after(DEADLINE);
        self.drivers.spawn(async move {
            let stopping = inner.stopping.clone();
            stopping.run_until_cancelled(inner.run_remote_cancel(&entry.id, &cancel, until)).await;
        });
    }

    async fn run_remote_cancel(&self, entry_id: &str, cancel: &RemoteCancel, until: Timestamp) {
        let mut backoff = Backoff::new(REMOTE_CANCEL_RETRY);
        loop {
            let result = match self.remote_cancel_permits.acquire().await {
                Ok(_turn) => self.try_remote_cancel(cancel).await,
                Err(_) => return,
            };
            match result {
                Ok(()) => break,
                Err(PeerError::Unreachable { code, .. })
                    if code != ErrorCode::AGENT_NOT_FOUND && self.ports.clock.now() < until => {}
                Err(error) => {
                    tracing::warn!(agent = %cancel.agent, %error, "a remote task could not be canceled");
                    break;
                }
            }
            tokio::time::sleep(backoff.next_delay()).await;
        }
        if let Err(error) = self.journal().outbox_remove(entry_id).await {
            tracing::warn!(order = entry_id, %error, "a finished remote cancel could not be removed; it will be repeated at the next start");
        }
    }

    async fn try_remote_cancel(&self, cancel: &RemoteCancel) -> Result<(), PeerError> {
        let peers = &self.ports.peers;
        let task = match (&cancel.task, &cancel.sought) {
            (None, Some(sought)) => {
                let RemoteTaskLookup { message, context, task } = sought.clone();
                let message = Message::new(message, Role::User, Vec::new());
                peers.find_task(&cancel.agent, PeerRequest { message, context, task, trace: None, depth: 0 }).await?
            }
            (task, _) => task.clone(),
        };
        match task {
            Some(task) => peers.cancel(&cancel.agent, &task).await,
            None => Ok(()),
        }
    }
}
