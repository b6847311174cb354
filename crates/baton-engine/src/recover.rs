//! Resumes unfinished work of an earlier process.

use crate::{Engine, EngineError, end::Ending, engine::Inner, isolation::CrashSurvey, live::LiveTask};
use baton_ports::{Head, JournalError};
use baton_rules::{Resume, Suspect, resume, works};
use baton_types::{StreamId, TaskId, TaskState};
use futures_util::{StreamExt, stream};
use parking_lot::Mutex;
use std::{sync::Arc, time::Duration};

/// Unfinished tasks read per page.
const PAGE: usize = 512;

/// Maximum tasks recovered concurrently; they share journal syncs.
const TOGETHER: usize = 128;

/// Delay between attempts while the journal rejects.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Reason to resume a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// The driving process died. Crashes are counted.
    Death,
    /// The journal rejected a write; the process is healthy.
    Refusal,
}

impl Engine {
    /// Resumes every unfinished run under a new epoch and starts the push dispatcher. Returns the number of runs. Runs
    /// that may have crashed the process are resumed later.
    pub async fn recover(&self) -> Result<usize, EngineError> {
        self.inner.start_courier();
        self.inner.say_owed_farewells();
        let survey = Mutex::new(CrashSurvey::default());
        let taken = self.take_up_all(&survey).await;
        let mut survey = survey.into_inner();
        if taken.is_err() {
            // The other runs in progress at the crash are unknown.
            survey.working = usize::MAX;
        }
        self.inner.isolate(survey).await;
        taken
    }

    async fn take_up_all(&self, survey: &Mutex<CrashSurvey>) -> Result<usize, EngineError> {
        let mut taken = 0;
        let mut after = None;
        loop {
            let heads = self.inner.journal().active(after.take(), PAGE).await?;
            let Some(last) = heads.last() else { return Ok(taken) };
            after = Some(last.stream.clone());
            let tasks: Vec<TaskId> = heads.iter().filter_map(|head| head.task().cloned()).collect();
            // Waiting tasks are rechecked, not resumed.
            let waits = |head: &&Head| head.state == TaskState::InputRequired.as_str();
            taken += tasks.len() - heads.iter().filter(waits).count();
            stream::iter(tasks)
                .for_each_concurrent(TOGETHER, |task| async move {
                    match self.inner.take_up(&task, After::Death).await {
                        Ok(found) => survey.lock().add(found),
                        Err(error) if error.is_damage() => {
                            tracing::error!(code = error.code().code, %task, %error, "an unfinished task cannot be resumed");
                        }
                        Err(error) => {
                            tracing::warn!(%task, %error, "an unfinished task could not be resumed; retrying");
                            self.inner.take_up_later(task, After::Death);
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
    Suspect(Arc<LiveTask>, Suspect),
}

impl CrashSurvey {
    fn add(&mut self, found: RecoveryOutcome) {
        self.working += usize::from(!matches!(found, RecoveryOutcome::Idle));
        if let RecoveryOutcome::Suspect(live, suspect) = found {
            self.suspects.push((live, suspect));
        }
    }
}

impl Inner {
    /// Resumes one task from its journaled state.
    pub(crate) async fn take_up(self: &Arc<Self>, task: &TaskId, after: After) -> Result<RecoveryOutcome, EngineError> {
        let live = self.take(task).await?;
        let at_rest = {
            let cell = live.lock();
            !cell.driven && !cell.task.is_active()
        };
        if at_rest {
            if live.lock().task.waits_for_child() {
                self.look_after_children(&live).await?;
            }
            self.rest(&live);
            self.say_owed_farewell(task).await?;
            return Ok(RecoveryOutcome::Idle);
        }
        if self.is_orphan(&live).await? {
            self.end(&live, Ending::Canceled).await?;
            return Ok(RecoveryOutcome::Idle);
        }
        let (decided, found) = {
            let mut cell = live.lock();
            if cell.driven {
                return Ok(RecoveryOutcome::Idle);
            }
            cell.driven = true;
            let decided = if after == After::Death { resume(&cell.task) } else { Resume::Continue };
            (decided, if works(&cell.task) { RecoveryOutcome::Working } else { RecoveryOutcome::Idle })
        };
        match decided {
            Resume::Continue => self.spawn_driver(live, None),
            Resume::Suspect(suspect) => return Ok(RecoveryOutcome::Suspect(live, suspect)),
            Resume::Go(event) => match live.commit(self.journal(), &*self.ports.clock, |_| vec![event]) {
                // Synced before anything else happens: the crash count depends on it.
                Ok(receipt) => match receipt.await {
                    Ok(_) => self.spawn_driver(live, None),
                    Err(error) => self.broke(&live, &error),
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
    pub(crate) fn take_up_later(self: &Arc<Self>, task: TaskId, after: After) {
        if self.stopping.is_cancelled() {
            return;
        }
        let inner = Arc::clone(self);
        self.drivers.spawn(async move {
            let mut pause = FIRST_PAUSE;
            loop {
                tokio::select! {
                    () = inner.stopping.cancelled() => return,
                    () = tokio::time::sleep(pause) => {}
                }
                match inner.take_up(&task, after).await {
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
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        });
    }
}
