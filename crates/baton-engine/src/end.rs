//! Ends a task early, together with its handoffs.

use crate::{
    EngineError,
    engine::EngineInner,
    live::{LiveCommitError, LiveTask},
    remote_cancel::RemoteCancel,
};
use baton_ports::{BoxFuture, Commit};
use baton_rules::TaskRecord;
use baton_types::{
    ErrorCode, FailureReason, HandoffEvent, HandoffStatus, Json, Message, Part, Role, TaskEvent, TaskId, TaskState,
    ToolCall, ToolResult,
};
use std::sync::Arc;

/// Cause of a task end without a model answer.
#[derive(Clone, Debug)]
pub(crate) enum TaskEnd {
    /// An error.
    Failed(FailureReason),
    /// An error before the message reached the remote agent.
    Undelivered(FailureReason),
    /// A guard blocked the request.
    Blocked(FailureReason),
    /// The agent rejected the request.
    Rejected(String),
    /// The caller canceled the task.
    Canceled,
    /// A tool call of the model asked to reply with a plain message.
    Replied(ToolCall, String),
}

impl TaskEnd {
    fn events(&self, inner: &EngineInner, task: &TaskRecord) -> Vec<TaskEvent> {
        let message = |text: String| {
            let id = inner.ports.ids.next_id().into();
            Message::new(id, Role::Agent, vec![Part::text(text)]).with_task(&task.context, &task.id)
        };
        let (state, text, reason) = match self {
            Self::Failed(reason) | Self::Undelivered(reason) => {
                (TaskState::Failed, format!("{}: {}", reason.code, reason.detail), Some(reason.clone()))
            }
            Self::Blocked(reason) => {
                (TaskState::Rejected, format!("{}: {}", reason.code, reason.detail), Some(reason.clone()))
            }
            Self::Rejected(reason) => (TaskState::Rejected, reason.clone(), None),
            Self::Canceled => (TaskState::Canceled, "The task was canceled.".to_owned(), None),
            Self::Replied(call, text) => {
                // The result completes the conversation, so later tasks of the context include the reply.
                let (call, name, output) = (call.id.clone(), call.name.clone(), Json::string("replied"));
                let result = ToolResult { call, name, output, is_error: false };
                // A plain message names no task.
                let reply = Message { task: None, ..message(text.clone()) };
                let (state, message) = (TaskState::Completed, Some(reply));
                return vec![
                    TaskEvent::ToolFinished { result },
                    TaskEvent::StatusChanged { state, message, reason: None },
                ];
            }
        };
        vec![TaskEvent::StatusChanged { state, message: Some(message(text)), reason }]
    }
}

impl TaskEnd {
    /// Whether a remote agent may still work on the task.
    fn needs_remote_cancel(&self) -> bool {
        match self {
            Self::Canceled => true,
            Self::Failed(reason) => reason.code != ErrorCode::PEER_FAILED.code,
            Self::Undelivered(_) | Self::Blocked(_) | Self::Rejected(_) | Self::Replied(..) => false,
        }
    }
}

impl EngineInner {
    /// Ends the task and its open handoffs in one commit, waits for the journal, then cancels the running work.
    pub(crate) async fn end(self: &Arc<Self>, live: &Arc<LiveTask>, ending: TaskEnd) -> Result<(), EngineError> {
        let (receipt, handoffs, remote_cancel) = loop {
            let handoffs = open_handoffs(&live.lock().task);
            if !handoffs.is_empty() {
                // Handoff records are read from the journal, and queued writes may not be synced yet.
                self.wait_for_sync().await?;
            }
            let mut writes = Vec::new();
            for (handoff, _) in &handoffs {
                let error = Some("the task that waited for it has ended".to_owned());
                let event = HandoffEvent::StatusChanged {
                    to: HandoffStatus::Cancelled,
                    result: None,
                    error,
                    result_trace_id: None,
                };
                writes.extend(self.handoff_write(&live.owner, handoff, vec![event]).await?);
            }
            let queued = {
                let mut cell = live.lock();
                if open_handoffs(&cell.task) != handoffs {
                    continue;
                }
                let events = ending.events(self, &cell.task);
                let remote_cancel =
                    if ending.needs_remote_cancel() { RemoteCancel::from_task(&cell.task, &live.owner) } else { None };
                let remote_cancel = match remote_cancel {
                    Some(remote_cancel) => {
                        Some((remote_cancel.entry(&cell.task, self.ports.clock.now())?, remote_cancel))
                    }
                    None => None,
                };
                let outbox = remote_cancel.iter().map(|(entry, _)| entry.clone()).collect();
                let commit = Commit { outbox, ..Commit::from_writes(writes) };
                live.commit_locked(&mut cell, self.journal(), &*self.ports.clock, events, commit)
                    .map(|receipt| (receipt, remote_cancel))
            };
            match queued {
                Ok((receipt, remote_cancel)) => break (receipt, handoffs, remote_cancel),
                // The task has ended or is being reopened; that code path cleans up.
                Err(LiveCommitError::Retired | LiveCommitError::Illegal(_)) => return self.wait_for_sync().await,
            }
        };
        live.cancel.cancel();
        // Detached: the caller may be canceled by this end, or disconnect.
        let (inner, live) = (Arc::clone(self), Arc::clone(live));
        let cleanup = self.drivers.spawn(async move {
            if let Err(error) = receipt.await {
                inner.handle_journal_error(&live, &error);
                return Err(error);
            }
            inner.release_if_idle(&live);
            if let Some((entry, remote_cancel)) = remote_cancel {
                inner.spawn_remote_cancel(entry, remote_cancel);
            }
            for (_, child) in handoffs {
                inner.cancel_child(child).await;
            }
            inner.notify_parent(&live.lock().task);
            Ok(())
        });
        Ok(cleanup.await.map_err(|_| EngineError::ShuttingDown)??)
    }

    /// Waits until all queued commits are synced or rejected.
    pub(crate) async fn wait_for_sync(&self) -> Result<(), EngineError> {
        self.journal().append(Commit::default()).await?;
        Ok(())
    }

    /// Cancels a child task whose result is no longer needed.
    pub(crate) fn cancel_child(self: &Arc<Self>, child: TaskId) -> BoxFuture<'static, ()> {
        let inner = Arc::clone(self);
        Box::pin(async move {
            let result = match inner.acquire_task(&child).await {
                Ok(live) => inner.end(&live, TaskEnd::Canceled).await.map(|()| inner.release_if_idle(&live)),
                Err(error) => Err(error),
            };
            if let Err(error) = result {
                tracing::warn!(task = %child, %error, "a child task could not be canceled; it will be canceled at the next start");
            }
        })
    }
}

fn open_handoffs(task: &TaskRecord) -> Vec<(baton_types::HandoffId, TaskId)> {
    task.pending_handoffs().map(|(_, pending)| (pending.handoff.clone(), pending.child.clone())).collect()
}
