//! In-memory state of a task that this process changes; ahead of the journal by the queued writes.

use crate::hub::Feed;
use baton_ports::{Commit, Journal, Receipt, StreamHeadUpdate, Tally, Write};
use baton_rules::{IllegalTransition, SessionRecord, TaskRecord};
use baton_telemetry::ids;
use baton_types::{CallId, Clock, JournalEvent, MessageId, Principal, StreamId, TaskEvent, TaskId, TraceContext};
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Maximum events between two snapshots.
const SNAPSHOT_INTERVAL: u64 = 64;

/// The only place in this process that changes a task; obtained from `Engine::open`.
pub(crate) struct LiveTask {
    pub(crate) id: TaskId,
    pub(crate) owner: Arc<Principal>,
    pub(crate) feed: Arc<Feed>,
    /// Cancels the model call and the tools of the run.
    pub(crate) cancel: CancellationToken,
    cell: Mutex<LiveTaskState>,
}

/// State behind the lock.
pub(crate) struct LiveTaskState {
    pub(crate) task: TaskRecord,
    epoch: u64,
    snapshot_at: u64,
    pub(crate) validity: LiveTaskValidity,
    /// Whether a driver is running.
    pub(crate) driven: bool,
    /// An attempt started by this process and not used yet.
    pub(crate) unused_attempt: Option<MessageId>,
    /// Whether the context started with this task, so there is no earlier history to read.
    pub(crate) first_of_context: bool,
    /// Session record read when the run was pinned; taken by the run.
    pub(crate) session: Option<Option<Arc<SessionRecord>>>,
    pub(crate) trace: Option<Arc<str>>,
    /// Usage to record with the next write.
    pub(crate) tally: Option<Tally>,
    /// A write that is not queued yet. Flushed with the next commit, or when the run has to wait.
    pending_write: Option<Write>,
}

impl LiveTaskState {
    /// Version and epoch that the journal will have after all queued writes.
    pub(crate) fn position(&self) -> (u64, u64) {
        (self.task.version, self.epoch)
    }

    /// Trace context of the run, the parent of its outgoing requests.
    pub(crate) fn run_trace_context(&self) -> Option<TraceContext> {
        let request_trace = self.trace.as_deref().and_then(TraceContext::parse);
        let run = self.task.run.as_ref()?;
        Some(ids::run_context(request_trace, &self.task.id, &run.id))
    }

    /// Trace context of a tool call of the run.
    pub(crate) fn call_trace_context(&self, call: &CallId) -> Option<TraceContext> {
        let run = self.task.run.as_ref()?;
        Some(self.run_trace_context()?.with_span(ids::call_span(&self.task.id, &run.id, run.turn, call)))
    }
}

/// Whether the state in memory is still valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LiveTaskValidity {
    /// Equals the journal plus queued writes.
    Current,
    /// No longer used by this process; the task must be opened again.
    Retired,
}

/// Error of a commit; nothing was queued.
#[derive(Debug)]
pub(crate) enum LiveCommitError {
    /// The task must be opened again.
    Retired,
    /// The rules reject the event.
    Illegal(IllegalTransition),
}

impl LiveTask {
    pub(crate) fn new(task: TaskRecord, epoch: u64, owner: Arc<Principal>, feed: Arc<Feed>) -> Self {
        Self {
            id: task.id.clone(),
            owner,
            feed,
            cancel: CancellationToken::new(),
            cell: Mutex::new(LiveTaskState {
                snapshot_at: task.version,
                task,
                epoch,
                validity: LiveTaskValidity::Current,
                driven: false,
                unused_attempt: None,
                first_of_context: false,
                session: None,
                trace: None,
                tally: None,
                pending_write: None,
            }),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, LiveTaskState> {
        self.cell.lock()
    }

    /// Queues the events that `decide` derives from the current state, under the lock.
    pub(crate) fn commit(
        &self,
        journal: &dyn Journal,
        clock: &dyn Clock,
        decide: impl FnOnce(&TaskRecord) -> Vec<TaskEvent>,
    ) -> Result<Receipt, LiveCommitError> {
        let mut cell = self.lock();
        let events = decide(&cell.task);
        self.commit_locked(&mut cell, journal, clock, events, Commit::default())
    }

    /// Applies events without queueing them. They are flushed when the run next waits, so a run that never waits costs
    /// one sync.
    pub(crate) fn buffer_events(
        &self,
        clock: &dyn Clock,
        decide: impl FnOnce(&TaskRecord) -> Vec<TaskEvent>,
    ) -> Result<(), LiveCommitError> {
        let mut cell = self.lock();
        let events = decide(&cell.task);
        if let Some(write) = self.fold_in(&mut cell, clock, events)? {
            cell.pending_write = Some(write);
        }
        Ok(())
    }

    /// Queues the held write.
    pub(crate) fn flush(&self, journal: &dyn Journal) -> Option<Receipt> {
        let mut cell = self.lock();
        if cell.validity == LiveTaskValidity::Retired {
            return None;
        }
        let write = cell.pending_write.take()?;
        let tallies = cell.tally.take().into_iter().collect();
        Some(journal.append(Commit { tallies, ..Commit::from_writes(vec![write]) }))
    }

    /// Queues events after the held write, together with `commit`.
    pub(crate) fn commit_locked(
        &self,
        cell: &mut LiveTaskState,
        journal: &dyn Journal,
        clock: &dyn Clock,
        events: Vec<TaskEvent>,
        mut commit: Commit,
    ) -> Result<Receipt, LiveCommitError> {
        let Some(write) = self.fold_in(cell, clock, events)? else {
            return Ok(Box::pin(std::future::ready(Ok(0))));
        };
        commit.writes.insert(0, write);
        commit.tallies.extend(cell.tally.take());
        Ok(journal.append(commit))
    }

    /// Applies events to the state and returns their write, merged with the held write.
    fn fold_in(
        &self,
        cell: &mut LiveTaskState,
        clock: &dyn Clock,
        events: Vec<TaskEvent>,
    ) -> Result<Option<Write>, LiveCommitError> {
        if cell.validity == LiveTaskValidity::Retired {
            return Err(LiveCommitError::Retired);
        }
        if events.is_empty() {
            return Ok(cell.pending_write.take());
        }
        // A held write has not waited for anything, so all of its events share one timestamp.
        let at = cell.pending_write.as_ref().map_or_else(|| clock.now(), |pending| pending.at);
        let expected_version = cell.task.version;
        let run = cell.task.run.as_ref().map(|run| run.id.clone());
        for (index, event) in events.iter().enumerate() {
            if let Err(illegal) = cell.task.apply(at, event) {
                if index > 0 {
                    // Some events were applied; the state in memory no longer matches the journal.
                    cell.validity = LiveTaskValidity::Retired;
                }
                return Err(LiveCommitError::Illegal(illegal));
            }
            if let TaskEvent::AttemptStarted { message, attempt, .. } = event {
                self.feed.begin_text(message, *attempt);
            }
        }
        let run = cell.task.run.as_ref().map(|run| run.id.clone()).or(run);
        // A held snapshot is older than the new events, so it is replaced.
        let due = cell.pending_write.as_ref().is_some_and(|pending| pending.snapshot.is_some())
            || cell.task.version - cell.snapshot_at >= SNAPSHOT_INTERVAL;
        let snapshot = due.then(|| baton_types::Json::from_serializable(&cell.task).ok()).flatten();
        if snapshot.is_some() {
            cell.snapshot_at = cell.task.version;
        }
        let facts = events.into_iter().map(JournalEvent::Task);
        if let Some(mut pending) = cell.pending_write.take() {
            pending.facts.extend(facts);
            (pending.head, pending.snapshot) = (head_of(&cell.task), snapshot);
            return Ok(Some(pending));
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

    /// Sets the initial held write.
    pub(crate) fn set_pending_write(&self, write: Write) {
        self.lock().pending_write = Some(write);
    }

    /// Retires the state; returns whether it was current.
    pub(crate) fn retire(&self) -> bool {
        let mut cell = self.lock();
        std::mem::replace(&mut cell.validity, LiveTaskValidity::Retired) == LiveTaskValidity::Current
    }

    /// Retires the state if the task has no driver and no active work.
    pub(crate) fn retire_if_idle(&self) -> bool {
        let mut cell = self.lock();
        let idle = !cell.driven && !cell.task.is_active();
        if idle {
            cell.validity = LiveTaskValidity::Retired;
        }
        idle
    }
}

/// Head fields used by lists and recovery.
pub(crate) fn head_of(task: &TaskRecord) -> StreamHeadUpdate {
    StreamHeadUpdate {
        agent: task.agent.clone(),
        context: task.context.clone(),
        state: task.state.as_str(),
        status_at: task.status_at,
        active: task.is_active() || task.waits_for_child(),
        terminal: task.state.is_terminal(),
    }
}
