//! Ends a task early, together with its handoffs.

use crate::{
    EngineError,
    engine::Inner,
    farewell::Farewell,
    live::{LiveTask, Stopped},
};
use baton_ports::{BoxFuture, Commit};
use baton_rules::Task;
use baton_types::{
    ErrorCode, HandoffEvent, HandoffStatus, Json, Message, Part, Reason, Role, TaskEvent, TaskId, TaskState, ToolCall,
    ToolResult,
};
use std::sync::Arc;

/// Cause of a task end without a model answer.
#[derive(Clone, Debug)]
pub(crate) enum Ending {
    /// An error.
    Failed(Reason),
    /// An error before the message reached the remote agent.
    Unsaid(Reason),
    /// A guard blocked the request.
    Refused(Reason),
    /// The agent rejected the request.
    Rejected(String),
    /// The caller canceled the task.
    Canceled,
    /// A tool call of the model asked to reply with a plain message.
    Replied(ToolCall, String),
}

impl Ending {
    fn events(&self, inner: &Inner, task: &Task) -> Vec<TaskEvent> {
        let message = |words: String| {
            let id = inner.ports.ids.fresh().into();
            Message::new(id, Role::Agent, vec![Part::text(words)]).within(&task.context, &task.id)
        };
        let (state, words, reason) = match self {
            Self::Failed(reason) | Self::Unsaid(reason) => {
                (TaskState::Failed, format!("{}: {}", reason.code, reason.detail), Some(reason.clone()))
            }
            Self::Refused(reason) => {
                (TaskState::Rejected, format!("{}: {}", reason.code, reason.detail), Some(reason.clone()))
            }
            Self::Rejected(why) => (TaskState::Rejected, why.clone(), None),
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
        vec![TaskEvent::StatusChanged { state, message: Some(message(words)), reason }]
    }
}

impl Ending {
    /// Whether a remote agent may still work on the task.
    fn leaves_peer(&self) -> bool {
        match self {
            Self::Canceled => true,
            Self::Failed(reason) => reason.code != ErrorCode::PEER_FAILED.code,
            Self::Unsaid(_) | Self::Refused(_) | Self::Rejected(_) | Self::Replied(..) => false,
        }
    }
}

impl Inner {
    /// Ends the task and its open handoffs in one commit, waits for the journal, then cancels the running work.
    pub(crate) async fn end(self: &Arc<Self>, live: &Arc<LiveTask>, ending: Ending) -> Result<(), EngineError> {
        let (receipt, handed, left) = loop {
            let handed = open_handoffs(&live.lock().task);
            if !handed.is_empty() {
                // Handoff records are read from the journal, and queued writes may not be synced yet.
                self.synced().await?;
            }
            let mut beside = Vec::new();
            for (handoff, _) in &handed {
                let error = Some("the task that waited for it has ended".to_owned());
                let moved =
                    HandoffEvent::Moved { to: HandoffStatus::Cancelled, result: None, error, result_trace_id: None };
                beside.extend(self.handoff_write(&live.owner, handoff, vec![moved]).await?);
            }
            let queued = {
                let mut cell = live.lock();
                if open_handoffs(&cell.task) != handed {
                    continue;
                }
                let events = ending.events(self, &cell.task);
                let left = if ending.leaves_peer() { Farewell::to(&cell.task, &live.owner) } else { None };
                let left = match left {
                    Some(left) => Some((left.entry(&cell.task, self.ports.clock.now())?, left)),
                    None => None,
                };
                let orders = left.iter().map(|(order, _)| order.clone()).collect();
                let beside = Commit { outbox: orders, ..Commit::of(beside) };
                live.commit_locked(&mut cell, self.journal(), &*self.ports.clock, events, beside)
                    .map(|receipt| (receipt, left))
            };
            match queued {
                Ok((receipt, left)) => break (receipt, handed, left),
                // The task has ended or is being reopened; that code path cleans up.
                Err(Stopped::Retired | Stopped::Illegal(_)) => return self.synced().await,
            }
        };
        live.cancel.cancel();
        // Detached: the caller may be canceled by this end, or disconnect.
        let (inner, live) = (Arc::clone(self), Arc::clone(live));
        let seen_through = self.drivers.spawn(async move {
            if let Err(error) = receipt.await {
                inner.broke(&live, &error);
                return Err(error);
            }
            inner.rest(&live);
            if let Some((order, farewell)) = left {
                inner.say_farewell(order, farewell);
            }
            for (_, child) in handed {
                inner.cancel_child(child).await;
            }
            inner.tell_parent(&live.lock().task);
            Ok(())
        });
        Ok(seen_through.await.map_err(|_| EngineError::ShuttingDown)??)
    }

    /// Waits until all queued commits are synced or rejected.
    pub(crate) async fn synced(&self) -> Result<(), EngineError> {
        self.journal().append(Commit::default()).await?;
        Ok(())
    }

    /// Cancels a child task whose result is no longer needed.
    pub(crate) fn cancel_child(self: &Arc<Self>, child: TaskId) -> BoxFuture<'static, ()> {
        let inner = Arc::clone(self);
        Box::pin(async move {
            let ended = match inner.take(&child).await {
                Ok(live) => inner.end(&live, Ending::Canceled).await.map(|()| inner.rest(&live)),
                Err(error) => Err(error),
            };
            if let Err(error) = ended {
                tracing::warn!(task = %child, %error, "a child task could not be canceled; it will be canceled at the next start");
            }
        })
    }
}

fn open_handoffs(task: &Task) -> Vec<(baton_types::HandoffId, TaskId)> {
    task.handed_off().map(|(_, handed)| (handed.handoff.clone(), handed.child.clone())).collect()
}
