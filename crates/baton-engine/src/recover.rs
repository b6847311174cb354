//! Taking up what a dead process left behind.

use crate::{Engine, EngineError, end::Ending, engine::Inner, live::LiveTask};
use baton_ports::{Head, JournalError};
use baton_rules::{Resume, resume};
use baton_types::{StreamId, TaskId, TaskState};
use futures_util::{StreamExt, stream};
use std::{sync::Arc, time::Duration};

/// Unfinished tasks read at once.
const PAGE: usize = 512;

/// Tasks taken over at the same time; they share the journal's syncs.
const TOGETHER: usize = 128;

/// Between two looks at a journal that refuses.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Why a task has to be taken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// The process that drove it died; deaths are counted.
    Death,
    /// The journal refused something; the process is well.
    Refusal,
}

impl Engine {
    /// Takes up every unfinished run under a new epoch, and begins to deliver notifications; returns how many runs.
    pub async fn recover(&self) -> Result<usize, EngineError> {
        self.inner.start_courier();
        self.inner.say_owed_farewells();
        let mut taken = 0;
        let mut after = None;
        loop {
            let heads = self.inner.journal().active(after.take(), PAGE).await?;
            let Some(last) = heads.last() else { return Ok(taken) };
            after = Some(last.stream.clone());
            let tasks: Vec<TaskId> = heads.iter().filter_map(|head| head.task().cloned()).collect();
            // Those that wait for somebody are looked after, and no more.
            let waits = |head: &&Head| head.state == TaskState::InputRequired.as_str();
            taken += tasks.len() - heads.iter().filter(waits).count();
            stream::iter(tasks)
                .for_each_concurrent(TOGETHER, |task| async move {
                    if let Err(error) = self.inner.take_up(&task, After::Death).await {
                        if error.is_damage() {
                            tracing::error!(code = error.code().code, %task, %error, "an unfinished task cannot go on");
                            return;
                        }
                        tracing::warn!(%task, %error, "an unfinished task could not be taken up; trying again");
                        self.inner.take_up_later(task, After::Death);
                    }
                })
                .await;
        }
    }
}

impl Inner {
    /// Continues one task from what the journal holds.
    pub(crate) async fn take_up(self: &Arc<Self>, task: &TaskId, after: After) -> Result<(), EngineError> {
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
            return self.say_owed_farewell(task).await;
        }
        if self.is_orphan(&live).await? {
            return self.end(&live, Ending::Canceled).await;
        }
        let decided = {
            let mut cell = live.lock();
            if cell.driven {
                return Ok(());
            }
            let decided = if after == After::Death { resume(&cell.task) } else { Resume::Continue };
            cell.driven = !matches!(decided, Resume::GiveUp(_));
            decided
        };
        match decided {
            Resume::Continue => self.spawn_driver(live, None),
            Resume::GiveUp(reason) => self.end(&live, Ending::Failed(reason)).await?,
            Resume::Go(event) => match live.commit(self.journal(), &*self.ports.clock, |_| vec![event]) {
                // On disk before anything else happens: this is how deaths are counted.
                Ok(receipt) => match receipt.await {
                    Ok(_) => self.spawn_driver(live, None),
                    Err(error) => self.broke(&live, &error),
                },
                // Somebody ended it at this moment; a driver sees it out.
                Err(_) => self.spawn_driver(live, None),
            },
        }
        Ok(())
    }

    /// Whether the task that waited for this one has ended without it.
    async fn is_orphan(&self, live: &LiveTask) -> Result<bool, EngineError> {
        let Some(parent) = live.lock().task.parent.clone() else { return Ok(false) };
        let parent = self.journal().load(None, &StreamId::Task(parent.task)).await?;
        Ok(parent.is_none_or(|parent| TaskState::from_name(&parent.head.state).is_none_or(TaskState::is_terminal)))
    }

    /// Tries again, ever more slowly, until the journal has room or the process stops.
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
                    // A creation that the journal never took is no task.
                    Ok(()) | Err(EngineError::TaskNotFound(_) | EngineError::Journal(JournalError::Missing { .. })) => {
                        return;
                    }
                    Err(error) if error.is_damage() => {
                        tracing::error!(code = error.code().code, %task, %error, "an unfinished task cannot go on");
                        return;
                    }
                    Err(error) => tracing::debug!(%task, %error, "still waiting for the journal"),
                }
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        });
    }
}
