//! Resumes runs that may have crashed the process: in small groups, one after the other.

use crate::{FeedItem, end::TaskEnd, engine::EngineInner, live::LiveTask, recover::ResumeCause};
use baton_rules::{
    CrashSuspect, ResumeGroup, TaskRecord, crash_reason, is_to_blame, resume_groups, resumption_event, waits_for_group,
};
use baton_types::{JournalEvent, TaskEvent};
use futures_util::future::join_all;
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

/// Runs in progress at the time of a crash, as found by recovery.
#[derive(Default)]
pub(crate) struct CrashSurvey {
    /// Runs that were executing a step.
    pub(crate) working: usize,
    /// Runs that may have caused the crash. They have no driver yet.
    pub(crate) suspects: Vec<(Arc<LiveTask>, CrashSuspect)>,
}

impl EngineInner {
    /// Fails the suspects that are to blame and resumes the others in groups.
    pub(crate) async fn isolate(self: &Arc<Self>, survey: CrashSurvey) {
        let CrashSurvey { working, suspects } = survey;
        let ranks: Vec<CrashSuspect> = suspects.iter().map(|(_, suspect)| *suspect).collect();
        let mut left = Vec::new();
        for (at, (live, suspect)) in suspects.into_iter().enumerate() {
            let others: Vec<CrashSuspect> =
                ranks.iter().enumerate().filter(|(it, _)| *it != at).map(|(_, it)| *it).collect();
            if is_to_blame(suspect, &others, working == 1) {
                let reason = crash_reason(&live.lock().task, suspect);
                tracing::error!(code = reason.code, task = %live.id, detail = reason.detail, "a run is failed because it may have crashed the process");
                live.lock().driven = false;
                if let Err(error) = self.end(&live, TaskEnd::Failed(reason)).await {
                    tracing::warn!(task = %live.id, %error, "a run could not be failed; retrying");
                    self.resume_later(live.id.clone(), ResumeCause::Crash);
                }
            } else if waits_for_group(live.lock().position().1) {
                left.push((live, suspect));
            } else {
                self.resume_run(&live, false).await;
            }
        }
        if !left.is_empty() {
            tracing::warn!(
                runs = left.len(),
                "runs that were in progress at several crashes are resumed in small groups"
            );
            let inner = Arc::clone(self);
            self.drivers.spawn(async move {
                tokio::select! {
                    () = inner.stopping.cancelled() => {}
                    () = inner.resume_in_groups(left) => {}
                }
            });
        }
    }

    /// Resumes a run. Returns false if it has ended meanwhile or the journal failed.
    async fn resume_run(self: &Arc<Self>, live: &Arc<LiveTask>, isolated: bool) -> bool {
        let resumed = |task: &TaskRecord| resumption_event(task, isolated).into_iter().collect();
        let receipt = live.commit(self.journal(), &*self.ports.clock, resumed);
        let is_resumed = receipt.is_ok();
        if let Ok(receipt) = receipt
            && let Err(error) = receipt.await
        {
            self.handle_journal_error(live, &error);
            return false;
        }
        self.spawn_driver(Arc::clone(live), None);
        is_resumed
    }

    async fn resume_in_groups(self: &Arc<Self>, suspects: Vec<(Arc<LiveTask>, CrashSuspect)>) {
        let started_at = Instant::now();
        let ranks: Vec<CrashSuspect> = suspects.iter().map(|(_, suspect)| *suspect).collect();
        for ResumeGroup { members, delay, window } in resume_groups(&ranks) {
            tokio::time::sleep_until(started_at + delay).await;
            let isolated = members.len() == 1;
            let group = members.iter().filter_map(|at| suspects.get(*at));
            join_all(group.map(|(live, _)| self.resume_suspect(live, isolated, window))).await;
        }
    }

    /// Resumes a suspect and waits until the journal has progress of it. A run that has ended meanwhile is skipped.
    async fn resume_suspect(self: &Arc<Self>, live: &Arc<LiveTask>, isolated: bool, window: Duration) {
        let feed = live.feed.attach();
        let is_resumed = self.resume_run(live, isolated).await;
        let Some(mut feed) = feed.filter(|_| is_resumed) else { return };
        let progress = async {
            while let Some(item) = feed.recv().await {
                if matches!(&item, FeedItem::Event(event) if matches!(&event.fact, JournalEvent::Task(fact) if is_progress(fact)))
                {
                    return;
                }
            }
            // The feed is closed, so the group waits for the whole window.
            std::future::pending::<()>().await;
        };
        let _ = tokio::time::timeout(window, progress).await;
    }
}

/// Whether the event proves progress beyond the crash point. Events that a repeated step also produces do not.
fn is_progress(fact: &TaskEvent) -> bool {
    !matches!(
        fact,
        TaskEvent::RunResumed { .. }
            | TaskEvent::TextFlushed { .. }
            | TaskEvent::AttemptStarted { .. }
            | TaskEvent::ToolStarted { .. }
            | TaskEvent::MessageReceived { .. }
    )
}
