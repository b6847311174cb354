//! Taking up what a dead process left behind.

use crate::{Engine, EngineError, end::Ending, engine::Inner, live::LiveTask};
use baton_ports::JournalError;
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

impl Engine {
    /// Takes up every unfinished run under a new epoch; returns how many.
    pub async fn recover(&self) -> Result<usize, EngineError> {
        let mut taken = 0;
        let mut after = None;
        loop {
            let heads = self.inner.journal().active(after.take(), PAGE).await?;
            let Some(last) = heads.last() else { return Ok(taken) };
            after = Some(last.stream.clone());
            let tasks: Vec<TaskId> = heads.iter().filter_map(|head| head.task().cloned()).collect();
            taken += tasks.len();
            stream::iter(tasks)
                .for_each_concurrent(TOGETHER, |task| async move {
                    if let Err(error) = self.inner.take_up(&task).await {
                        tracing::warn!(%task, %error, "an unfinished task could not be taken up; trying again");
                        self.inner.take_up_later(task);
                    }
                })
                .await;
        }
    }
}

impl Inner {
    /// Continues one task from what the journal holds.
    pub(crate) async fn take_up(self: &Arc<Self>, task: &TaskId) -> Result<(), EngineError> {
        let live = self.take(task).await?;
        if self.is_orphan(&live).await? {
            self.end(&live, Ending::Canceled).await?;
            self.rest(&live);
            return Ok(());
        }
        let decided = {
            let mut cell = live.lock();
            if cell.driven {
                return Ok(());
            }
            if !cell.task.is_active() {
                drop(cell);
                self.rest(&live);
                return Ok(());
            }
            cell.driven = true;
            resume(&cell.task)
        };
        match decided {
            Resume::Continue => self.spawn_driver(live, None),
            Resume::GiveUp(reason) => {
                self.end(&live, Ending::Failed(reason)).await?;
                self.retire(&live);
            }
            Resume::Go(event) => {
                let Ok(receipt) = live.commit(self.journal(), &*self.ports.clock, |_| vec![event]) else {
                    return Ok(());
                };
                // On disk before anything else happens: this is how deaths are counted.
                if let Err(error) = receipt.await {
                    self.broke(&live, &error);
                    return Ok(());
                }
                self.spawn_driver(live, None);
            }
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
    pub(crate) fn take_up_later(self: &Arc<Self>, task: TaskId) {
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
                match inner.take_up(&task).await {
                    // A creation that the journal never took is no task.
                    Ok(()) | Err(EngineError::TaskNotFound(_) | EngineError::Journal(JournalError::Missing { .. })) => {
                        return;
                    }
                    Err(error) => tracing::debug!(%task, %error, "still waiting for the journal"),
                }
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        });
    }
}
