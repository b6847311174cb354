//! A task that somebody in this process is changing: its state in memory, one step ahead of the journal.

use crate::hub::Feed;
use baton_ports::{Clock, Commit, HeadUpdate, Journal, Receipt, Tally, Write};
use baton_rules::{Illegal, SessionRecord, Task};
use baton_telemetry::ids;
use baton_types::{CallId, Fact, MessageId, Principal, StreamId, TaskEvent, TaskId, TraceContext};
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Loads start from a snapshot at most this many events old.
const SNAPSHOT_EVERY: u64 = 64;

/// The one place in this process where a task changes; reached through `Engine::open`.
pub(crate) struct LiveTask {
    pub(crate) id: TaskId,
    pub(crate) owner: Arc<Principal>,
    pub(crate) feed: Arc<Feed>,
    /// Stops the run's model call and tools.
    pub(crate) cancel: CancellationToken,
    cell: Mutex<Cell>,
}

/// What is behind the lock.
pub(crate) struct Cell {
    pub(crate) task: Task,
    epoch: u64,
    snapshot_at: u64,
    pub(crate) standing: Standing,
    /// Whether a driver is on it.
    pub(crate) driven: bool,
    /// An attempt that this process has begun and not yet used.
    pub(crate) begun: Option<MessageId>,
    /// Whether the conversation began with this task, so that there is nothing earlier to read.
    pub(crate) first_of_context: bool,
    /// What was read about the conversation as a whole when the run was pinned, until the run takes it.
    pub(crate) session: Option<Option<Arc<SessionRecord>>>,
    pub(crate) trace: Option<Arc<str>>,
    /// What was used up and is on record with the next write.
    pub(crate) tally: Option<Tally>,
    /// A write that nobody waits for yet; it leaves with the next one, or when the run has to wait for something.
    held: Option<Write>,
}

impl Cell {
    /// What the journal will have when everything is written: the version, and under which epoch.
    pub(crate) fn position(&self) -> (u64, u64) {
        (self.task.version, self.epoch)
    }

    /// Inside of the run in progress: what it asks of others is part of its span.
    pub(crate) fn in_run(&self) -> Option<TraceContext> {
        let asked_in = self.trace.as_deref().and_then(TraceContext::parse);
        let run = self.task.run.as_ref()?;
        Some(ids::run_context(asked_in, &self.task.id, &run.id))
    }

    /// Inside of a tool call of the run.
    pub(crate) fn in_call(&self, call: &CallId) -> Option<TraceContext> {
        let run = self.task.run.as_ref()?;
        Some(self.in_run()?.inside(ids::call_span(&self.task.id, &run.id, run.turn, call)))
    }
}

/// Whether the state in memory may still be built upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It is the journal's state plus what is queued.
    Current,
    /// Nobody in this process changes the task any more; open it anew.
    Retired,
}

/// Why nothing was queued.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// Open the task anew.
    Retired,
    /// The rules say no.
    Illegal(Illegal),
}

impl LiveTask {
    pub(crate) fn new(task: Task, epoch: u64, owner: Arc<Principal>, feed: Arc<Feed>) -> Self {
        Self {
            id: task.id.clone(),
            owner,
            feed,
            cancel: CancellationToken::new(),
            cell: Mutex::new(Cell {
                snapshot_at: task.version,
                task,
                epoch,
                standing: Standing::Current,
                driven: false,
                begun: None,
                first_of_context: false,
                session: None,
                trace: None,
                tally: None,
                held: None,
            }),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Cell> {
        self.cell.lock()
    }

    /// Queues events that follow from the present state; `decide` sees it and nobody can change it in between.
    pub(crate) fn commit(
        &self,
        journal: &dyn Journal,
        clock: &dyn Clock,
        decide: impl FnOnce(&Task) -> Vec<TaskEvent>,
    ) -> Result<Receipt, Stopped> {
        let mut cell = self.lock();
        let events = decide(&cell.task);
        self.commit_locked(&mut cell, journal, clock, events, Commit::default())
    }

    /// Takes events in without queueing them: they are on their way when the run next waits for anything, and a run
    /// that never waits costs one sync.
    pub(crate) fn hold(&self, clock: &dyn Clock, decide: impl FnOnce(&Task) -> Vec<TaskEvent>) -> Result<(), Stopped> {
        let mut cell = self.lock();
        let events = decide(&cell.task);
        if let Some(write) = self.fold_in(&mut cell, clock, events)? {
            cell.held = Some(write);
        }
        Ok(())
    }

    /// Queues what is held.
    pub(crate) fn flush(&self, journal: &dyn Journal) -> Option<Receipt> {
        let mut cell = self.lock();
        if cell.standing == Standing::Retired {
            return None;
        }
        let write = cell.held.take()?;
        let tallies = cell.tally.take().into_iter().collect();
        Some(journal.append(Commit { tallies, ..Commit::of(vec![write]) }))
    }

    /// Queues events, after what is held, together with what must become true at the same moment.
    pub(crate) fn commit_locked(
        &self,
        cell: &mut Cell,
        journal: &dyn Journal,
        clock: &dyn Clock,
        events: Vec<TaskEvent>,
        mut beside: Commit,
    ) -> Result<Receipt, Stopped> {
        let Some(write) = self.fold_in(cell, clock, events)? else {
            return Ok(Box::pin(std::future::ready(Ok(0))));
        };
        beside.writes.insert(0, write);
        beside.tallies.extend(cell.tally.take());
        Ok(journal.append(beside))
    }

    /// Folds events into the state and returns the write that makes them true, with what was held before them.
    fn fold_in(&self, cell: &mut Cell, clock: &dyn Clock, events: Vec<TaskEvent>) -> Result<Option<Write>, Stopped> {
        if cell.standing == Standing::Retired {
            return Err(Stopped::Retired);
        }
        if events.is_empty() {
            return Ok(cell.held.take());
        }
        // What is held has not waited for anything, so all of it happens at one moment.
        let at = cell.held.as_ref().map_or_else(|| clock.now(), |held| held.at);
        let expected_version = cell.task.version;
        let run = cell.task.run.as_ref().map(|run| run.id.clone());
        for (index, event) in events.iter().enumerate() {
            if let Err(illegal) = cell.task.apply(at, event) {
                if index > 0 {
                    // Half of the events are folded in; the memory no longer stands for the journal.
                    cell.standing = Standing::Retired;
                }
                return Err(Stopped::Illegal(illegal));
            }
            if let TaskEvent::AttemptStarted { message, attempt, .. } = event {
                self.feed.begin_text(message, *attempt);
            }
        }
        let run = cell.task.run.as_ref().map(|run| run.id.clone()).or(run);
        // A snapshot that is held is older than the events that now join it: it is taken again.
        let due = cell.held.as_ref().is_some_and(|held| held.snapshot.is_some())
            || cell.task.version - cell.snapshot_at >= SNAPSHOT_EVERY;
        let snapshot = due.then(|| baton_types::Json::of(&cell.task).ok()).flatten();
        if snapshot.is_some() {
            cell.snapshot_at = cell.task.version;
        }
        let facts = events.into_iter().map(Fact::Task);
        if let Some(mut held) = cell.held.take() {
            held.facts.extend(facts);
            (held.head, held.snapshot) = (head_of(&cell.task), snapshot);
            return Ok(Some(held));
        }
        Ok(Some(Write {
            stream: StreamId::Task(self.id.clone()),
            expected_version,
            epoch: cell.epoch,
            principal: Arc::clone(&self.owner),
            run,
            trace: cell.trace.clone(),
            at,
            facts: facts.collect(),
            head: head_of(&cell.task),
            snapshot,
        }))
    }

    /// Begins with a write that is not queued yet.
    pub(crate) fn begin_held(&self, write: Write) {
        self.lock().held = Some(write);
    }

    /// Gives the memory up; returns whether it stood until now.
    pub(crate) fn retire(&self) -> bool {
        let mut cell = self.lock();
        std::mem::replace(&mut cell.standing, Standing::Retired) == Standing::Current
    }

    /// Gives the memory up if nobody drives the task and Baton owes it nothing.
    pub(crate) fn retire_if_idle(&self) -> bool {
        let mut cell = self.lock();
        let idle = !cell.driven && !cell.task.is_active();
        if idle {
            cell.standing = Standing::Retired;
        }
        idle
    }
}

/// The summary that lists and recovery read.
pub(crate) fn head_of(task: &Task) -> HeadUpdate {
    HeadUpdate {
        agent: task.agent.clone(),
        context: task.context.clone(),
        state: task.state.as_str(),
        status_at: task.status_at,
        active: task.is_active() || task.waits_for_child(),
        terminal: task.state.is_terminal(),
    }
}
