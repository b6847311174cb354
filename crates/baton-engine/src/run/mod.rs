//! How a run goes on: decide the next step from the state, do it, write what came of it, again.
//!
//! Appends are pipelined: the driver goes on while the journal syncs, and waits only where the outside could tell the
//! difference (a tool that changes something, the end of the run). What a run does without waiting for anything is
//! one write, so a model that answers at once costs one sync.

mod answer;
mod arguments;
mod ask;
mod brief;
mod budget;
mod calls;
mod context;
mod control;
mod conversation;
mod earlier;
mod files;
mod grants;
mod guard;
mod handoff;
mod helper;
mod model;
mod orchestrate;
mod peer;
mod prompt;
mod read_output;
mod recall;
mod stop;
mod summary;
mod weigh;
mod window;
mod wishes;
mod words;
mod writing;

pub(crate) use ask::asking;
pub(crate) use handoff::{answer_of, created};
pub(crate) use peer::unheard;

use crate::{
    EngineError,
    end::Ending,
    engine::Inner,
    live::{LiveTask, Standing, Stopped},
    tallies::SetAside,
};
use baton_ports::{Commit, JournalError, Receipt, Write};
use baton_rules::{Illegal, SessionRecord, Step, asked_of_caller, next_step};
use baton_telemetry::within;
use baton_types::{AgentSpec, ErrorCode, Reason, TaskEvent, TaskState};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use tokio::sync::OnceCell;

/// Why the driver leaves its loop.
#[derive(Debug)]
pub(crate) enum Halt {
    /// Somebody else changed the task, or it was canceled: look at it again.
    Changed,
    /// The journal refused.
    Journal(JournalError),
    /// The process stops.
    Stopping,
    /// The rules refused what this crate thought right: a defect, which ends the task rather than spinning.
    Defect(Illegal),
}

impl From<Stopped> for Halt {
    fn from(stopped: Stopped) -> Self {
        match stopped {
            Stopped::Retired | Stopped::Illegal(Illegal::Ended(_)) => Self::Changed,
            Stopped::Illegal(illegal) => Self::Defect(illegal),
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

/// One driver's view of its task.
pub(crate) struct Driver {
    pub(crate) inner: Arc<Inner>,
    pub(crate) live: Arc<LiveTask>,
    /// Receipts not yet awaited, oldest first: the first failure is the true one.
    receipts: parking_lot::Mutex<Vec<Receipt>>,
    /// What was said about the conversation as a whole, when it was last looked at.
    session: parking_lot::Mutex<Option<Arc<SessionRecord>>>,
    looked: AtomicBool,
    /// What is set aside of the budgets for the model call that is on its way.
    aside: parking_lot::Mutex<Option<SetAside>>,
    /// What was said in the conversation before the task, once the run has needed it.
    earlier: OnceCell<earlier::Earlier>,
}

impl Inner {
    /// Drives the task until it ends or needs somebody; the caller has set `driven`.
    pub(crate) fn spawn_driver(self: &Arc<Self>, live: Arc<LiveTask>, receipt: Option<Receipt>) {
        let receipts = parking_lot::Mutex::new(receipt.into_iter().collect());
        let context = live.lock().in_run();
        let (session, looked) = (parking_lot::Mutex::default(), AtomicBool::new(false));
        let (aside, earlier) = (parking_lot::Mutex::default(), OnceCell::new());
        let driver = Driver { inner: Arc::clone(self), live, receipts, session, looked, aside, earlier };
        self.drivers.spawn(within(context, driver.drive()));
    }
}

impl Driver {
    async fn drive(self) {
        loop {
            let halt = match self.advance().await {
                Ok(Progress::Again) => continue,
                Ok(Progress::Rest) => match self.settle_down().await {
                    Ok(()) if self.leave() => return,
                    Ok(()) => continue,
                    Err(halt) => halt,
                },
                Err(halt) => halt,
            };
            match halt {
                Halt::Changed if self.live.lock().standing == Standing::Current => {}
                Halt::Changed => match self.synced().await {
                    Err(Halt::Journal(error)) => return self.inner.broke(&self.live, &error),
                    _ => return,
                },
                Halt::Journal(error) => return self.inner.broke(&self.live, &error),
                Halt::Stopping => return self.pause().await,
                Halt::Defect(illegal) => self.give_up(&illegal).await,
            }
        }
    }

    async fn give_up(&self, illegal: &Illegal) {
        tracing::error!(code = ErrorCode::INTERNAL.code, task = %self.live.id, %illegal, "a run made an illegal event");
        let reason = Reason::new(ErrorCode::INTERNAL.code, illegal.to_string());
        if let Err(error) = self.inner.end(&self.live, Ending::Failed(reason)).await {
            tracing::warn!(task = %self.live.id, %error, "the task could not be ended");
        }
    }

    async fn advance(&self) -> Result<Progress, Halt> {
        {
            let cell = self.live.lock();
            if cell.standing == Standing::Retired {
                return Err(Halt::Changed);
            }
            if !cell.task.is_active() {
                return Ok(Progress::Rest);
            }
        }
        if !self.looked.load(Ordering::Relaxed) {
            self.look_at_session().await?;
        }
        let Some(spec) = self.spec().await? else { return Ok(Progress::Again) };
        let step = next_step(&self.live.lock().task, &spec, self.inner.ports.clock.now());
        match step {
            Step::Rest => return Ok(Progress::Rest),
            Step::StartRun => self.start_run().await?,
            Step::CallModel { turn, attempt } => self.call_model(&spec, turn, attempt).await?,
            Step::AskPeer { turn, attempt } => self.ask_peer(&spec, turn, attempt).await?,
            Step::AdvanceCalls(calls) => self.advance_calls(&spec, calls).await?,
            Step::AskCaller => {
                self.deny_callers_calls(&spec).await?;
                self.commit(|task| {
                    let asked = asked_of_caller(task, &spec);
                    if asked.is_empty() { Vec::new() } else { vec![asking(&self.inner.ports, task, &asked)] }
                })?;
            }
            Step::Complete => self.hold(|task| ask::completing(task).into_iter().collect())?,
            Step::Fail(reason) => self.inner.end(&self.live, Ending::Failed(reason)).await?,
        }
        Ok(Progress::Again)
    }

    /// The definition that the run follows; a task without a run has the current one.
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
            let reason = Reason::new(code.code, detail);
            self.inner.end(&self.live, Ending::Failed(reason)).await?;
        }
        Ok(found)
    }

    async fn start_run(&self) -> Result<(), Halt> {
        let agent = self.live.lock().task.agent.clone();
        let Some(spec) = self.inner.ports.agents.agent(&agent) else { return Ok(()) };
        let session = self.session.lock().clone();
        let wishes = self.live.lock().task.wishes.clone();
        let pinned = self.inner.pin_with(&spec, session, wishes.as_deref()).await?;
        self.hold(|task| if task.run.is_none() { self.inner.start_run(task, &pinned) } else { Vec::new() })?;
        let mut cell = self.live.lock();
        cell.begun = cell.task.run.as_ref().and_then(|run| run.open.clone());
        Ok(())
    }

    /// Queues events without waiting for the journal.
    pub(crate) fn commit(&self, decide: impl FnOnce(&baton_rules::Task) -> Vec<TaskEvent>) -> Result<(), Halt> {
        let receipt = self.live.commit(self.inner.journal(), &*self.inner.ports.clock, decide)?;
        self.receipts.lock().push(receipt);
        Ok(())
    }

    /// Takes events in; they are queued as soon as the run waits for anything.
    pub(crate) fn hold(&self, decide: impl FnOnce(&baton_rules::Task) -> Vec<TaskEvent>) -> Result<(), Halt> {
        Ok(self.live.hold(&*self.inner.ports.clock, decide)?)
    }

    /// Queues what is held; called before every wait.
    pub(crate) fn flush(&self) {
        self.receipts.lock().extend(self.live.flush(self.inner.journal()));
    }

    /// Queues events and waits until the journal has them, and so all before them.
    pub(crate) async fn commit_synced(&self, events: Vec<TaskEvent>, beside: Vec<Write>) -> Result<(), Halt> {
        self.queue(events, beside)?.await?;
        Ok(())
    }

    /// Queues events; the receipt is the caller's to await.
    pub(crate) fn queue(&self, events: Vec<TaskEvent>, beside: Vec<Write>) -> Result<Receipt, Halt> {
        let mut cell = self.live.lock();
        let beside = Commit::of(beside);
        Ok(self.live.commit_locked(&mut cell, self.inner.journal(), &*self.inner.ports.clock, events, beside)?)
    }

    /// Waits until everything queued is on disk.
    pub(crate) async fn synced(&self) -> Result<(), Halt> {
        self.flush();
        let receipts = std::mem::take(&mut *self.receipts.lock());
        for receipt in receipts {
            receipt.await?;
        }
        Ok(())
    }

    /// Waits for the journal before the task is left. A child may have been answered while its question was on the way up:
    /// nobody could be told then, so whoever shows a question looks once whether it is still asked.
    async fn settle_down(&self) -> Result<(), Halt> {
        self.synced().await?;
        if !self.live.lock().task.waits_for_child() {
            return Ok(());
        }
        match self.inner.look_after_children(&self.live).await {
            Err(error @ (EngineError::Journal(_) | EngineError::ShuttingDown)) => Err(error.into()),
            Err(error) => {
                tracing::warn!(task = %self.live.id, %error, "work that is waited for could not be looked after");
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// Leaves the task if there is still nothing to do.
    fn leave(&self) -> bool {
        let mut cell = self.live.lock();
        if cell.task.run.is_some() || cell.task.state == TaskState::Submitted {
            return false;
        }
        cell.driven = false;
        cell.standing = Standing::Retired;
        tracing::info!(task = %cell.task.id, agent = %cell.task.agent, state = cell.task.state.as_str(), "a run rests");
        drop(cell);
        self.inner.retire(&self.live);
        true
    }

    /// Sets the run aside in an orderly way.
    async fn pause(&self) {
        let paused =
            self.commit(|task| task.run.iter().map(|run| TaskEvent::RunPaused { run: run.id.clone() }).collect());
        if paused.is_ok() && self.synced().await.is_err() {
            tracing::warn!(task = %self.live.id, "could not record the pause; the run resumes all the same");
        }
        self.inner.retire(&self.live);
    }
}

enum Progress {
    Again,
    Rest,
}
