//! Passes questions and answers between a task and its handoff children.

use crate::{
    Engine, EngineError, IdempotencyKey, SendCommand, TaskRef,
    engine::EngineInner,
    live::{LiveCommitError, LiveTask},
    open::fold,
    run::input_required_event,
    send::internal,
};
use baton_ports::{BoxFuture, Commit};
use baton_rules::{PendingHandoff, TaskRecord, accept_message, caller_requests, resume_child_wait};
use baton_types::{AgentName, Digest, Message, MessageId, Principal, StreamId, TaskId, TaskState};
use std::sync::Arc;

impl EngineInner {
    /// Checks that every child task addressed by the message would accept its answer. Changes nothing.
    pub(crate) async fn check_answer_accepted(
        &self,
        principal: &Principal,
        task: &TaskRef,
        message: &Message,
    ) -> Result<(), EngineError> {
        let present = self.load(principal, task).await?;
        if !present.waits_for_child() {
            return Ok(());
        }
        self.check_children_accept(present, message.clone()).await
    }

    fn check_children_accept(&self, task: TaskRecord, message: Message) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(async move {
            let accepted = accept_message(&task, message, self.ports.clock.now())?;
            for answer in accepted.forwarded {
                let Some(child) = self.load_stored(&answer.child).await? else { continue };
                if child.state.is_terminal() {
                    return Err(EngineError::TaskFinished { task: answer.child, state: child.state });
                }
                self.check_children_accept(child, answer.message).await?;
            }
            Ok(())
        })
    }

    async fn load_stored(&self, task: &TaskId) -> Result<Option<TaskRecord>, EngineError> {
        let loaded = self.journal().load(None, &StreamId::Task(task.clone())).await?;
        loaded.map(|loaded| fold(task, &loaded)).transpose()
    }

    /// Agent of a task.
    pub(crate) async fn agent_of(&self, task: &TaskId) -> Result<Option<AgentName>, EngineError> {
        let loaded = self.journal().load(None, &StreamId::Task(task.clone())).await?;
        Ok(loaded.map(|loaded| loaded.head.agent))
    }

    /// Sends an answer to the child task. The idempotency key prevents a second delivery after a crash.
    pub(crate) async fn pass_down(
        self: &Arc<Self>,
        owner: &Arc<Principal>,
        trace: Option<Arc<str>>,
        child: &TaskId,
        answer: &Message,
    ) -> Result<(), EngineError> {
        let Some(agent) = self.agent_of(child).await? else { return Ok(()) };
        let request = Digest::compute(answer.id.as_str().as_bytes());
        let mut message = answer.clone();
        message.task = Some(child.clone());
        let idempotency = Some(IdempotencyKey { key: answer.id.to_string(), request });
        let command = SendCommand { idempotency, trace, ..SendCommand::new(agent, message) };
        let engine = Engine { inner: Arc::clone(self) };
        match Box::pin(engine.send(owner, command)).await {
            Ok(_) => Ok(()),
            Err(error @ (EngineError::Journal(_) | EngineError::ShuttingDown)) => Err(error),
            // The question was already answered or the child has ended; the state of the child shows the outcome.
            Err(error) => {
                tracing::info!(task = %child, %error, "an answer came too late for the agent that asked");
                Ok(())
            }
        }
    }

    /// Passes answers to child tasks in the background. A task that still waits for input has no run to do it, and the
    /// children can continue immediately.
    pub(crate) fn pass_down_in_background(self: &Arc<Self>, live: &Arc<LiveTask>) {
        let (inner, task) = (Arc::clone(self), live.id.clone());
        let (owner, trace) = (Arc::clone(&live.owner), live.lock().trace.clone());
        self.drivers.spawn(async move {
            if let Err(error) = inner.pass_all_down(&owner, trace, &task).await {
                tracing::warn!(%task, %error, "answers could not be passed to child tasks; they will be passed when the task continues");
            }
        });
    }

    /// Passes down the journaled answers.
    async fn pass_all_down(
        self: &Arc<Self>,
        owner: &Arc<Principal>,
        trace: Option<Arc<str>>,
        task: &TaskId,
    ) -> Result<(), EngineError> {
        self.wait_for_sync().await?;
        let Some(task) = self.load_stored(task).await? else { return Ok(()) };
        for (_, pending) in task.pending_handoffs() {
            if let Some(answer) = &pending.answer {
                self.pass_down(owner, trace.clone(), &pending.child, answer).await?;
            }
        }
        Ok(())
    }

    /// Notifies the parent task in the background that this task continues.
    pub(crate) fn notify_parent(self: &Arc<Self>, child: &TaskRecord) {
        let Some(parent) = child.parent.as_ref().map(|link| link.task.clone()) else { return };
        let (inner, child) = (Arc::clone(self), child.id.clone());
        self.drivers.spawn(async move {
            if let Err(error) = inner.record_child_progress(&parent, &child).await {
                tracing::warn!(task = %parent, %error, "a parent task could not be notified that its child continues");
            }
        });
    }

    /// Records in the parent that a child continued without an answer passed through it, and so on up the chain.
    pub(crate) fn record_child_progress<'a>(
        self: &'a Arc<Self>,
        parent: &'a TaskId,
        child: &'a TaskId,
    ) -> BoxFuture<'a, Result<(), EngineError>> {
        Box::pin(async move {
            loop {
                let live = self.acquire_task(parent).await?;
                let (agent, context, options) = {
                    let cell = live.lock();
                    (cell.task.agent.clone(), cell.task.context.clone(), cell.task.wishes.clone())
                };
                let Some(spec) = self.ports.agents.agent(&agent) else {
                    self.release_if_idle(&live);
                    return Err(EngineError::AgentNotFound(agent));
                };
                let pinned = self.pin(&live.owner, &spec, Some(&context), options.as_deref()).await?;
                let result = {
                    let mut cell = live.lock();
                    let now = self.ports.clock.now();
                    let Some(accepted) = resume_child_wait(&cell.task, child, now) else {
                        drop(cell);
                        self.release_if_idle(&live);
                        return Ok(());
                    };
                    let mut after = cell.task.clone();
                    let mut events = accepted.events;
                    for event in &events {
                        after.apply(now, event).map_err(|illegal| internal(&illegal.to_string()))?;
                    }
                    if accepted.starts_run {
                        events.extend(self.start_run(&after, &pinned));
                    } else if cell.task.state == TaskState::InputRequired {
                        events.push(input_required_event(&self.ports, &after, &caller_requests(&after, &spec)));
                    }
                    let drive = accepted.starts_run && !cell.driven;
                    let queued =
                        live.commit_locked(&mut cell, self.journal(), &*self.ports.clock, events, Commit::default());
                    if queued.is_ok() {
                        cell.driven |= drive;
                        cell.session = accepted.starts_run.then(|| pinned.session.clone());
                    }
                    queued.map(|receipt| (receipt, drive, accepted.starts_run, cell.task.clone()))
                };
                match result {
                    Ok((receipt, drive, starts_run, task)) => {
                        if drive {
                            self.spawn_driver(Arc::clone(&live), Some(receipt));
                        } else {
                            receipt.await?;
                            self.release_if_idle(&live);
                        }
                        if starts_run {
                            self.notify_parent(&task);
                        }
                        return Ok(());
                    }
                    Err(LiveCommitError::Retired) => self.retire(&live),
                    Err(LiveCommitError::Illegal(illegal)) => return Err(internal(&illegal.to_string())),
                }
            }
        })
    }

    /// After a crash: rechecks children that asked a question, since they may have continued without this task being
    /// notified.
    pub(crate) async fn recheck_children(self: &Arc<Self>, live: &Arc<LiveTask>) -> Result<(), EngineError> {
        let questions: Vec<(TaskId, MessageId)> = {
            let cell = live.lock();
            let open_question = |pending: &PendingHandoff| {
                let (message, _) = pending.asked.as_ref()?;
                Some((pending.child.clone(), message.id.clone()))
            };
            cell.task.pending_handoffs().filter_map(|(_, pending)| open_question(pending)).collect()
        };
        for (child, question) in questions {
            let still_asks = |task: TaskRecord| {
                let same = task.status_message.as_ref().is_none_or(|message| message.id == question);
                task.state.is_interrupted() && same
            };
            if !self.load_stored(&child).await?.is_some_and(still_asks) {
                self.record_child_progress(&live.id, &child).await?;
            }
        }
        if live.lock().task.pending_handoffs().any(|(_, pending)| pending.answer.is_some()) {
            self.pass_down_in_background(live);
        }
        Ok(())
    }
}
