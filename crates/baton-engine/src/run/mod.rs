//! The run loop: derive the next step from the state, execute it, record the result, repeat.
//!
//! Appends are pipelined: the driver continues while the journal syncs, and waits only where the difference is
//! observable (a tool with side effects, the end of the run). Steps without waits share one write, so an immediate
//! model answer costs one sync.

mod answer;
mod arguments;
mod budget;
mod calls;
mod context;
mod control;
mod conversation;
mod current_request;
mod delta_buffer;
mod earlier_history;
mod files;
mod grants;
mod guard;
mod handoff;
mod model;
mod options;
mod orchestrate;
mod peer;
mod prompt;
mod read_output;
mod recalled_history;
mod shorten;
mod status_events;
mod stop;
mod summary;
mod token_estimate;
mod tool_helper;
mod window;

pub(crate) use handoff::{answer_of, created_write};
pub(crate) use peer::pending_peer_request;
pub(crate) use status_events::input_required_event;

use crate::{
    EngineError,
    end::TaskEnd,
    engine::EngineInner,
    live::{LiveCommitError, LiveTask, LiveTaskValidity},
    usage_totals::UsageReservation,
};
use baton_ports::{Commit, JournalError, Receipt, Write};
use baton_rules::{IllegalTransition, RunStep, SessionRecord, caller_requests, next_step};
use baton_telemetry::in_span;
use baton_types::{AgentSpec, ErrorCode, FailureReason, TaskEvent, TaskState};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::OnceCell;

/// Reason for the driver to leave its loop.
#[derive(Debug)]
pub(crate) enum Halt {
    /// The task was changed concurrently or canceled; read it again.
    Changed,
    /// The journal rejected a write.
    Journal(JournalError),
    /// The process is shutting down.
    Stopping,
    /// The rules rejected an event of this crate: a defect. The task fails instead of looping.
    Defect(IllegalTransition),
}

impl From<LiveCommitError> for Halt {
    fn from(stopped: LiveCommitError) -> Self {
        match stopped {
            LiveCommitError::Retired | LiveCommitError::Illegal(IllegalTransition::Ended(_)) => Self::Changed,
            LiveCommitError::Illegal(illegal) => Self::Defect(illegal),
        }
    }
}

impl From<JournalError> for Halt {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

impl From<EngineError> for Halt {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Journal(error) => Self::Journal(error),
            EngineError::ShuttingDown => Self::Stopping,
            other => Self::Journal(JournalError::Unavailable(other.to_string())),
        }
    }
}

/// Drives one task.
pub(crate) struct Driver {
    pub(crate) inner: Arc<EngineInner>,
    pub(crate) live: Arc<LiveTask>,
    /// Receipts not yet awaited, oldest first: the first failure is the cause of later ones.
    receipts: parking_lot::Mutex<Vec<Receipt>>,
    /// Last loaded session record.
    session: parking_lot::Mutex<Option<Arc<SessionRecord>>>,
    session_loaded: AtomicBool,
    /// Budget reservation of the in-flight model call.
    reservation: parking_lot::Mutex<Option<UsageReservation>>,
    /// Earlier history of the context, loaded on demand.
    earlier: OnceCell<earlier_history::EarlierHistory>,
}

impl EngineInner {
    /// Drives the task until it ends or needs input; the caller has set `driven`.
    pub(crate) fn spawn_driver(self: &Arc<Self>, live: Arc<LiveTask>, receipt: Option<Receipt>) {
        let receipts = parking_lot::Mutex::new(receipt.into_iter().collect());
        let context = live.lock().run_trace_context();
        let (session, session_loaded) = (parking_lot::Mutex::default(), AtomicBool::new(false));
        let (reservation, earlier) = (parking_lot::Mutex::default(), OnceCell::new());
        let driver = Driver { inner: Arc::clone(self), live, receipts, session, session_loaded, reservation, earlier };
        self.drivers.spawn(in_span(context, driver.drive()));
    }
}

impl Driver {
    async fn drive(self) {
        loop {
            let halt = match self.advance().await {
                Ok(DriverProgress::Continue) => continue,
                Ok(DriverProgress::Idle) => match self.settle().await {
                    Ok(()) if self.try_release() => return,
                    Ok(()) => continue,
                    Err(halt) => halt,
                },
                Err(halt) => halt,
            };
            match halt {
                Halt::Changed if self.live.lock().validity == LiveTaskValidity::Current => {}
                Halt::Changed => match self.wait_for_sync().await {
                    Err(Halt::Journal(error)) => return self.inner.handle_journal_error(&self.live, &error),
                    _ => return,
                },
                Halt::Journal(error) => return self.inner.handle_journal_error(&self.live, &error),
                Halt::Stopping => return Box::pin(self.pause()).await,
                Halt::Defect(illegal) => Box::pin(self.fail_task(&illegal)).await,
            }
        }
    }

    async fn fail_task(&self, illegal: &IllegalTransition) {
        tracing::error!(code = ErrorCode::INTERNAL.code, task = %self.live.id, %illegal, "a run produced an illegal event");
        let reason = FailureReason::new(ErrorCode::INTERNAL.code, illegal.to_string());
        if let Err(error) = self.inner.end(&self.live, TaskEnd::Failed(reason)).await {
            tracing::warn!(task = %self.live.id, %error, "the task could not be ended");
        }
    }

    async fn advance(&self) -> Result<DriverProgress, Halt> {
        {
            let cell = self.live.lock();
            if cell.validity == LiveTaskValidity::Retired {
                return Err(Halt::Changed);
            }
            if !cell.task.is_active() {
                return Ok(DriverProgress::Idle);
            }
        }
        if !self.session_loaded.load(Ordering::Relaxed) {
            Box::pin(self.load_session()).await?;
        }
        let Some(spec) = self.spec().await? else { return Ok(DriverProgress::Continue) };
        let step = next_step(&self.live.lock().task, &spec, self.inner.ports.clock.now());
        match step {
            RunStep::Wait => return Ok(DriverProgress::Idle),
            RunStep::StartRun => Box::pin(self.start_run()).await?,
            RunStep::CallModel { turn, attempt } => self.call_model(&spec, turn, attempt).await?,
            RunStep::AskPeer { turn, attempt } => Box::pin(self.ask_peer(&spec, turn, attempt)).await?,
            RunStep::AdvanceCalls(calls) => Box::pin(self.advance_calls(&spec, calls)).await?,
            RunStep::AskCaller => {
                Box::pin(self.deny_caller_calls(&spec)).await?;
                self.commit(|task| {
                    let requests = caller_requests(task, &spec);
                    if requests.is_empty() {
                        Vec::new()
                    } else {
                        vec![input_required_event(&self.inner.ports, task, &requests)]
                    }
                })?;
            }
            RunStep::Complete => {
                self.buffer_events(|task| status_events::completed_event(task).into_iter().collect())?;
            }
            RunStep::Fail(reason) => Box::pin(self.inner.end(&self.live, TaskEnd::Failed(reason))).await?,
        }
        Ok(DriverProgress::Continue)
    }

    /// The definition pinned by the run; a task without a run uses the current one.
    async fn spec(&self) -> Result<Option<Arc<AgentSpec>>, Halt> {
        let (agent, digest) = {
            let cell = self.live.lock();
            (cell.task.agent.clone(), cell.task.run.as_ref().map(|run| run.agent.clone()))
        };
        let found = match &digest {
            Some(digest) => self.inner.pins.find(self.inner.journal(), digest).await?,
            None => self.inner.ports.agents.agent(&agent),
        };
        if found.is_none() {
            let (code, detail) = match digest {
                Some(digest) => (ErrorCode::AGENT_CHANGED, format!("definition {digest} of '{agent}' is gone")),
                None => (ErrorCode::AGENT_NOT_FOUND, format!("agent '{agent}' is no longer served")),
            };
            let reason = FailureReason::new(code.code, detail);
            Box::pin(self.inner.end(&self.live, TaskEnd::Failed(reason))).await?;
        }
        Ok(found)
    }

    async fn start_run(&self) -> Result<(), Halt> {
        let agent = self.live.lock().task.agent.clone();
        let Some(spec) = self.inner.ports.agents.agent(&agent) else { return Ok(()) };
        let session = self.session.lock().clone();
        let options = self.live.lock().task.wishes.clone();
        let pinned = self.inner.pin_with(&spec, session, options.as_deref()).await?;
        self.buffer_events(|task| if task.run.is_none() { self.inner.start_run(task, &pinned) } else { Vec::new() })?;
        let mut cell = self.live.lock();
        cell.unused_attempt = cell.task.run.as_ref().and_then(|run| run.open.clone());
        Ok(())
    }

    /// Queues events without waiting for the journal.
    pub(crate) fn commit(&self, decide: impl FnOnce(&baton_rules::TaskRecord) -> Vec<TaskEvent>) -> Result<(), Halt> {
        let receipt = self.live.commit(self.inner.journal(), &*self.inner.ports.clock, decide)?;
        self.receipts.lock().push(receipt);
        Ok(())
    }

    /// Applies events; they are queued when the run next waits.
    pub(crate) fn buffer_events(
        &self,
        decide: impl FnOnce(&baton_rules::TaskRecord) -> Vec<TaskEvent>,
    ) -> Result<(), Halt> {
        Ok(self.live.buffer_events(&*self.inner.ports.clock, decide)?)
    }

    /// Queues the held write; called before every wait.
    pub(crate) fn flush(&self) {
        self.receipts.lock().extend(self.live.flush(self.inner.journal()));
    }

    /// Queues events and waits until they, and all earlier ones, are journaled.
    pub(crate) async fn commit_synced(&self, events: Vec<TaskEvent>, writes: Vec<Write>) -> Result<(), Halt> {
        self.queue(events, writes)?.await?;
        Ok(())
    }

    /// Queues events; the caller awaits the receipt.
    pub(crate) fn queue(&self, events: Vec<TaskEvent>, writes: Vec<Write>) -> Result<Receipt, Halt> {
        let mut cell = self.live.lock();
        let commit = Commit::from_writes(writes);
        Ok(self.live.commit_locked(&mut cell, self.inner.journal(), &*self.inner.ports.clock, events, commit)?)
    }

    /// Waits until all queued events are synced.
    pub(crate) async fn wait_for_sync(&self) -> Result<(), Halt> {
        self.flush();
        let receipts = std::mem::take(&mut *self.receipts.lock());
        for receipt in receipts {
            receipt.await?;
        }
        Ok(())
    }

    /// Waits for the journal before the task is released. A child may have been answered while its question was being
    /// passed up, so the children are rechecked once.
    async fn settle(&self) -> Result<(), Halt> {
        self.wait_for_sync().await?;
        if !self.live.lock().task.waits_for_child() {
            return Ok(());
        }
        match Box::pin(self.inner.recheck_children(&self.live)).await {
            Err(error @ (EngineError::Journal(_) | EngineError::ShuttingDown)) => Err(error.into()),
            Err(error) => {
                tracing::warn!(task = %self.live.id, %error, "child tasks could not be rechecked");
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Releases the task if there is still nothing to do.
    fn try_release(&self) -> bool {
        let mut cell = self.live.lock();
        if cell.task.run.is_some() || cell.task.state == TaskState::Submitted {
            return false;
        }
        cell.driven = false;
        cell.validity = LiveTaskValidity::Retired;
        tracing::info!(task = %cell.task.id, agent = %cell.task.agent, state = cell.task.state.as_str(), "run ended");
        drop(cell);
        self.inner.retire(&self.live);
        true
    }

    /// Pauses the run for shutdown.
    async fn pause(&self) {
        let paused =
            self.commit(|task| task.run.iter().map(|run| TaskEvent::RunPaused { run: run.id.clone() }).collect());
        if paused.is_ok() && self.wait_for_sync().await.is_err() {
            tracing::warn!(task = %self.live.id, "could not record the pause; the run resumes anyway");
        }
        self.inner.retire(&self.live);
    }
}

enum DriverProgress {
    Continue,
    Idle,
}
