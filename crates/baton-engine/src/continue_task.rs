//! Continues a task with a message.

use crate::{
    EngineError, SendCommand, TaskRef,
    claims::IdempotencyGuard,
    engine::EngineInner,
    error_codes,
    live::{LiveCommitError, LiveTask, LiveTaskValidity},
    pins::PinnedDefinition,
    run::input_required_event,
    send::{CommitExtras, ListenMode, QueuedSend, SendSubscription, internal},
};
use baton_ports::JournalError;
use baton_rules::{accept_message, caller_requests, check_caller_tools, check_mode_unchanged};
use baton_types::{AgentSpec, Principal, StreamId, TaskEvent, TaskId, TaskState};
use std::sync::Arc;

enum ContinueError {
    Retired,
    Rejected(EngineError),
}

impl EngineInner {
    pub(crate) async fn continue_task(
        self: &Arc<Self>,
        principal: &Arc<Principal>,
        task: &TaskId,
        mut command: SendCommand,
        key: Option<IdempotencyGuard>,
        spec: &Arc<AgentSpec>,
        listen: ListenMode,
    ) -> Result<QueuedSend, EngineError> {
        let task = TaskRef { task: task.clone(), agent: Some(command.agent.clone()) };
        let mut extras = CommitExtras { push: None, key };
        if let Some(config) = command.push.take() {
            self.load(principal, &task).await?;
            extras.push = Some(self.begin_push_config(&task.task, config).await?);
        }
        self.check_answer_accepted(principal, &task, &command.message).await?;
        loop {
            let live = self.open(principal, &task).await?;
            let (context, previous) = {
                let cell = live.lock();
                (cell.task.context.clone(), cell.task.wishes.clone())
            };
            let options = command.run_options.as_deref().or(previous.as_deref());
            let pinned = match self.pin(&live.owner, spec, Some(&context), options).await {
                Ok(pinned) => pinned,
                Err(error) => {
                    self.release_if_idle(&live);
                    return Err(error);
                }
            };
            match self.queue_message(&live, &command, &extras, &pinned, listen) {
                Ok(mut queued) => {
                    queued.receipt = queued.receipt.map(|receipt| extras.hold_with(self, receipt));
                    return Ok(queued);
                }
                // The code that retired the task also removes it, but possibly later.
                Err(ContinueError::Retired) => self.retire(&live),
                Err(ContinueError::Rejected(error)) => {
                    self.release_if_idle(&live);
                    if self.is_journaled(&live).await? {
                        return Err(error);
                    }
                }
            }
        }
    }

    /// Whether the journal has the state in memory. A rejection must not rest on state that a crash could revert or
    /// that the journal has already rejected. If false, the task must be opened again.
    async fn is_journaled(self: &Arc<Self>, live: &Arc<LiveTask>) -> Result<bool, EngineError> {
        let (version, epoch) = live.lock().position();
        match live.flush(self.journal()) {
            None => self.wait_for_sync().await?,
            Some(receipt) => {
                let result = self.await_receipt(Arc::clone(live), receipt).await;
                result.map_err(|_| EngineError::ShuttingDown)??;
            }
        }
        let stream = StreamId::Task(live.id.clone());
        let missing = || EngineError::TaskNotFound(live.id.clone());
        let head = self.journal().load(None, &stream).await?.ok_or_else(missing)?.head;
        if head.epoch == epoch && head.version >= version {
            return Ok(true);
        }
        if live.lock().validity == LiveTaskValidity::Current {
            let conflict = JournalError::Conflict { stream, expected: version, actual: head.version };
            self.handle_journal_error(live, &conflict);
            return Err(conflict.into());
        }
        Ok(false)
    }

    fn queue_message(
        self: &Arc<Self>,
        live: &Arc<LiveTask>,
        command: &SendCommand,
        extras: &CommitExtras,
        pinned: &PinnedDefinition,
        listen: ListenMode,
    ) -> Result<QueuedSend, ContinueError> {
        let mut cell = live.lock();
        let task = &cell.task;
        if task.state.is_terminal() {
            let finished = EngineError::TaskFinished { task: live.id.clone(), state: task.state };
            return Err(ContinueError::Rejected(finished));
        }
        if command.message.context.as_ref().is_some_and(|context| *context != task.context) {
            return Err(ContinueError::Rejected(EngineError::Invalid {
                code: error_codes::CONTEXT_MISMATCH,
                field: "message.contextId".to_owned(),
                detail: format!("task '{}' belongs to context '{}'", live.id, task.context),
            }));
        }
        if command.if_generation.is_some_and(|generation| generation != task.generation) {
            let (task, actual) = (live.id.clone(), task.generation);
            return Err(ContinueError::Rejected(EngineError::GenerationMismatch { task, actual }));
        }
        check_mode_unchanged(task, &pinned.spec, &command.message)
            .map_err(|rejection| ContinueError::Rejected(rejection.into()))?;
        let autonomous = task.autonomous || pinned.spec.autonomous;
        check_caller_tools(&pinned.spec, autonomous, command.run_options.as_deref())
            .map_err(|rejection| ContinueError::Rejected(rejection.into()))?;
        let message = command.message.clone().with_task(&task.context, &live.id);
        let accepted = accept_message(task, message, self.ports.clock.now())
            .map_err(|rejection| ContinueError::Rejected(rejection.into()))?;
        let mut after = task.clone();
        let now = self.ports.clock.now();
        let mut events = accepted.events;
        events.extend(command.run_options.clone().map(|options| TaskEvent::RunOptionsSet { options }));
        for event in &events {
            after.apply(now, event).map_err(|illegal| ContinueError::Rejected(internal(&illegal.to_string())))?;
        }
        if accepted.starts_run {
            events.extend(self.start_run(&after, pinned));
        } else if task.state == TaskState::InputRequired {
            let requests = caller_requests(&after, &pinned.spec);
            events.push(input_required_event(&self.ports, &after, &requests));
        }
        let commit = extras.to_commit(self, &live.owner, &live.id, task.version).map_err(ContinueError::Rejected)?;
        let drive = accepted.starts_run && !cell.driven;
        cell.driven |= drive;
        // All answers to one request share its trace.
        cell.trace = cell.trace.take().or(command.trace.clone());
        let subscription = SendSubscription::open(&live.feed, listen, cell.task.version);
        let receipt = live.commit_locked(&mut cell, self.journal(), &*self.ports.clock, events, commit);
        let receipt = receipt.map_err(|stopped| match stopped {
            LiveCommitError::Retired => ContinueError::Retired,
            LiveCommitError::Illegal(illegal) => ContinueError::Rejected(internal(&illegal.to_string())),
        })?;
        if accepted.starts_run {
            cell.unused_attempt = cell.task.run.as_ref().and_then(|run| run.open.clone());
            cell.session = Some(pinned.session.clone());
        }
        let task = cell.task.clone();
        drop(cell);
        if accepted.starts_run {
            self.notify_parent(&task);
        } else if !accepted.forwarded.is_empty() {
            self.pass_down_in_background(live);
        }
        Ok(QueuedSend { live: Arc::clone(live), task, receipt: Some(receipt), drive, subscription })
    }
}
