//! What the journal and the span store say about themselves.

use super::{Levels, MeterSource, OpenTasks, instruments, tasks::MOST};
use baton_ports::{BoxFuture, Journal, SpanStore};
use baton_types::TaskState;
use std::sync::{Arc, Weak};

/// Tells how much the journal holds, and how many tasks have not ended; for these it is read when somebody asks for the
/// first time.
pub struct JournalLevels {
    tasks: Arc<OpenTasks>,
    /// The journal knows the meters, too, through who hears its commits.
    journal: Weak<dyn Journal>,
}

impl JournalLevels {
    /// Of that journal, whose commits those tasks hear.
    pub fn new(journal: &Arc<dyn Journal>, tasks: Arc<OpenTasks>) -> Self {
        Self { tasks, journal: Arc::downgrade(journal) }
    }

    async fn count_tasks(&self, journal: &dyn Journal, levels: &mut Levels) {
        if self.tasks.listen() {
            // A journal that cannot be read now is read when somebody asks again.
            let Ok(open) = journal.open_tasks(MOST).await else { return };
            self.tasks.read(open);
        }
        for (state, count) in self.tasks.counts() {
            if state == TaskState::InputRequired.as_str() {
                levels.tell(&instruments::APPROVALS_WAITING, &[], count);
            }
            levels.tell(&instruments::TASKS_OPEN, &[&state], count);
        }
    }
}

impl MeterSource for JournalLevels {
    fn tell<'a>(&'a self, levels: &'a mut Levels) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let Some(journal) = self.journal.upgrade() else { return };
            self.count_tasks(&*journal, levels).await;
            if let Some(stats) = journal.stats() {
                levels.tell(&instruments::JOURNAL_QUEUE, &[], stats.waiting);
                levels.tell(&instruments::JOURNAL_BYTES, &[], stats.bytes);
            }
        })
    }
}

/// Tells how much a span store holds.
pub struct SpanLevels(Arc<dyn SpanStore>);

impl SpanLevels {
    /// Of that store.
    pub fn new(store: Arc<dyn SpanStore>) -> Self {
        Self(store)
    }
}

impl MeterSource for SpanLevels {
    fn tell<'a>(&'a self, levels: &'a mut Levels) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            let Ok(stats) = self.0.stats().await else { return };
            levels.tell(&instruments::SPANS_KEPT, &[], stats.spans);
            levels.tell(&instruments::SPANS_IN_MEMORY, &[], stats.head_spans);
            levels.tell(&instruments::SPANS_DROPPED, &[], stats.dropped);
            levels.tell(&instruments::SPAN_BYTES, &[], stats.bytes);
            levels.tell(&instruments::SPAN_BLOCKS, &[], stats.blocks);
        })
    }
}
