//! Metrics of the journal and the span store.

use crate::{MeterLevels, MeterSource, OpenTasks, instruments, tasks::MAX_TRACKED_TASKS};
use baton_ports::{BoxFuture, Journal};
use baton_span_ports::SpanStore;
use baton_types::TaskState;
use std::sync::{Arc, Weak};

/// Journal size and open tasks. The open tasks are loaded from the journal on the first read.
pub struct JournalLevels {
    tasks: Arc<OpenTasks>,
    /// Weak, because the journal refers to the meters through its commit observer.
    journal: Weak<dyn Journal>,
}

impl JournalLevels {
    /// Source for a journal, with the open tasks that observe its commits.
    pub fn new(journal: &Arc<dyn Journal>, tasks: Arc<OpenTasks>) -> Self {
        Self { tasks, journal: Arc::downgrade(journal) }
    }

    async fn count_tasks(&self, journal: &dyn Journal, levels: &mut MeterLevels) {
        if self.tasks.start_tracking() {
            // If the journal cannot be read now, the next read retries.
            let Ok(open) = journal.open_tasks(MAX_TRACKED_TASKS).await else { return };
            self.tasks.load(open);
        }
        for (state, count) in self.tasks.counts() {
            if state == TaskState::InputRequired.as_str() {
                levels.add(&instruments::APPROVALS_WAITING, &[], count);
            }
            levels.add(&instruments::TASKS_OPEN, &[&state], count);
        }
    }
}

impl MeterSource for JournalLevels {
    fn collect<'a>(&'a self, levels: &'a mut MeterLevels) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let Some(journal) = self.journal.upgrade() else { return };
            self.count_tasks(&*journal, levels).await;
            if let Some(stats) = journal.stats() {
                levels.add(&instruments::JOURNAL_QUEUE, &[], stats.queued_commits);
                levels.add(&instruments::JOURNAL_BYTES, &[], stats.bytes);
            }
        })
    }
}

/// Metrics of a span store.
pub struct SpanLevels(Arc<dyn SpanStore>);

impl SpanLevels {
    /// Source for a span store.
    pub fn new(store: Arc<dyn SpanStore>) -> Self {
        Self(store)
    }
}

impl MeterSource for SpanLevels {
    fn collect<'a>(&'a self, levels: &'a mut MeterLevels) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let Ok(stats) = self.0.stats().await else { return };
            levels.add(&instruments::SPANS_KEPT, &[], stats.spans);
            levels.add(&instruments::SPANS_IN_MEMORY, &[], stats.head_spans);
            levels.add(&instruments::SPANS_DROPPED, &[], stats.dropped);
            levels.add(&instruments::SPAN_BYTES, &[], stats.bytes);
            levels.add(&instruments::SPAN_BLOCKS, &[], stats.blocks);
        })
    }
}
