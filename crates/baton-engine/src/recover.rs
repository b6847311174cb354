//! Resumes unfinished work of an earlier process.

use crate::{
    Engine, EngineError, end::TaskEnd, engine::EngineInner, isolation::CrashSurvey, live::LiveTask,
    retry::JOURNAL_RETRY,
};
use baton_ports::{JournalError, StreamHead};
use baton_rules::{CrashSuspect, ResumeDecision, decide_resume, has_own_work};
use baton_types::{Backoff, StreamId, TaskId, TaskState};
use futures_util::{StreamExt, stream};
use parking_lot::Mutex;
use std::sync::Arc;

/// Unfinished tasks read per page.
const PAGE: usize = 512;

/// Maximum tasks recovered concurrently; they share journal syncs.
const MAX_CONCURRENT_RECOVERIES: usize = 128;

/// Reason to resume a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResumeCause {
    /// The driving process died. Crashes are counted.
    Crash,
    /// The journal rejected a write; the process is healthy.
    JournalRejection,
}

impl Engine {
    /// Resumes every unfinished run under a new epoch and starts the push dispatcher. Returns the number of runs. Runs
    /// that may have crashed the process are resumed later.
    pub async fn recover(&self) -> Result<usize, EngineError> {
        self.inner.start_push_dispatcher();
        self.inner.resume_remote_cancels();
        let survey = Mutex::new(CrashSurvey::default());
        let resumed = self.resume_all(&survey).await;
        let mut survey = survey.into_inner();
        if resumed.is_err() {
            // The other runs in progress at the crash are unknown.
            survey.working = usize::MAX;
        }
        self.inner.isolate(survey).await;
        resumed
    }

    async fn resume_all(&self, survey: &Mutex<CrashSurvey>) -> Result<usize, EngineError> {
        let mut resumed = 0;
        let mut after = None;
        loop {
            let heads = self.inner.journal().active_streams(after.take(), PAGE).await?;
            let Some(last) = heads.last() else { return Ok(resumed) };
            after = Some(last.stream.clone());
            let tasks: Vec<TaskId> = heads.iter().filter_map(|head| head.task().cloned()).collect();
            // Waiting tasks are rechecked, not resumed.
            let waits = |head: &&StreamHead| head.state == TaskState::InputRequired.as_str();
            resumed += tasks.len() - heads.iter().filter(waits).count();
            stream::iter(tasks)
                .for_each_concurrent(MAX_CONCURRENT_RECOVERIES, |task| async move {
                    match self.inner.resume_task(&task, ResumeCause::Crash).await {
                        Ok(found) => survey.lock().add(found),
                        Err(error) if error.is_damage() => {
                            tracing::error!(code = error.code().code, %task, %error, "an unfinished task cannot be resumed");
                        }
                        Err(error) => {
                            tracing::warn!(%task, %error, "an unfinished task could not be resumed; retrying");
                            self.inner.resume_later(task, ResumeCause::Crash);
                        }
                    }
                })
                .await;
        }
    }
}

/// Result of recovering one task.
pub(crate) enum RecoveryOutcome {
    /// The task is idle or only waits.
    Idle,
    /// The task was running and continues.
    Working,
    /// The task was running and may have crashed the process; it waits for [`EngineInner::isolate`].
    Suspect(Arc<LiveTask>, CrashSuspect),
}

impl CrashSurvey {
    fn add(&mut self, found: RecoveryOutcome) {
        self.working += usize::from(!matches!(found, RecoveryOutcome::Idle));
        if let RecoveryOutcome::Suspect(live, suspect) = found {
            self.suspects.push((live, suspect));
        }
    }
}

impl EngineInner {
    /// Resumes one task from its journaled state.
    pub(crate) async fn resume_task(
        self: &Arc<Self>,
        task: &TaskId,
        after: ResumeCause,
    ) -> Result<RecoveryOutcome, EngineError> {
        let live = self.acquire_task(task).await?;
        let at_rest = {
            let cell = live.lock();
            !cell.driven && !cell.task.is_active()
        };
        if at_rest {
            if live.lock().task.waits_for_child() {
                self.recheck_children(&live).await?;
            }
            self.release_if_idle(&live);
            self.resume_remote_cancel(task).await?;
            return Ok(RecoveryOutcome::Idle);
        }
        if self.is_orphan(&live).await? {
            self.end(&live, TaskEnd::Canceled).await?;
            return Ok(RecoveryOutcome::Idle);
        }
        let (decision, found) = {
            let mut cell = live.lock();
            if cell.driven {
                return Ok(RecoveryOutcome::Idle);
            }
            cell.driven = true;
            let decision =
                if after == ResumeCause::Crash { decide_resume(&cell.task) } else { ResumeDecision::Continue };
            (decision, if has_own_work(&cell.task) { RecoveryOutcome::Working } else { RecoveryOutcome::Idle })
        };
        match decision {
            ResumeDecision::Continue => self.spawn_driver(live, None),
            ResumeDecision::Suspect(suspect) => return Ok(RecoveryOutcome::Suspect(live, suspect)),
            ResumeDecision::Go(event) => match live.commit(self.journal(), &*self.ports.clock, |_| vec![event]) {
                // Synced before anything else happens: the crash count depends on it.
                Ok(receipt) => match receipt.await {
                    Ok(_) => self.spawn_driver(live, None),
                    Err(error) => self.handle_journal_error(&live, &error),
                },
                // The task ended concurrently; the driver finishes it.
                Err(_) => self.spawn_driver(live, None),
            },
        }
        Ok(found)
    }

    /// Whether the parent task has ended without waiting for this one.
    async fn is_orphan(&self, live: &LiveTask) -> Result<bool, EngineError> {
        let Some(parent) = live.lock().task.parent.clone() else { return Ok(false) };
        let parent = self.journal().load(None, &StreamId::Task(parent.task)).await?;
        Ok(parent.is_none_or(|parent| TaskState::from_name(&parent.head.state).is_none_or(TaskState::is_terminal)))
    }

    /// Retries with backoff until the journal accepts or the process stops.
    pub(crate) fn resume_later(self: &Arc<Self>, task: TaskId, after: ResumeCause) {
        if self.stopping.is_cancelled() {
            return;
        }
        let inner = Arc::clone(self);
        self.drivers.spawn(async move {
            let mut backoff = Backoff::new(JOURNAL_RETRY);
            loop {
                tokio::select! {
                    () = inner.stopping.cancelled() => return,
                    () = tokio::time::sleep(backoff.next_delay()) => {}
                }
                match inner.resume_task(&task, after).await {
                    // A missing task, handled below, was never journaled.
                    Ok(RecoveryOutcome::Suspect(live, suspect)) => {
                        // The other runs in progress at the crash are unknown here.
                        let survey = CrashSurvey { working: usize::MAX, suspects: vec![(live, suspect)] };
                        return inner.isolate(survey).await;
                    }
                    Ok(_) | Err(EngineError::TaskNotFound(_) | EngineError::Journal(JournalError::Missing { .. })) => {
                        return;
                    }
                    Err(error) if error.is_damage() => {
                        tracing::error!(code = error.code().code, %task, %error, "an unfinished task cannot be resumed");
                        return;
                    }
                    Err(error) => tracing::debug!(%task, %error, "still waiting for the journal"),
                }
            }
        });
    }
}
