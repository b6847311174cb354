//! Long poll for changes of a task.

use crate::{Engine, EngineError, FeedItem, TaskRef};
use baton_rules::{TaskRecord, is_visible_to_caller};
use baton_types::{JournalEvent, Principal, TaskView};
use std::{sync::Arc, time::Duration};
use tokio::{sync::mpsc, time::timeout_at};

/// Upper bound of a requested wait.
const MAX_CHANGE_WAIT: Duration = Duration::from_secs(60 * 60);

impl Engine {
    /// Returns the task once it is past `generation`, has ended, or the wait has elapsed.
    pub async fn wait_for_change(
        &self,
        principal: &Arc<Principal>,
        task: &TaskRef,
        generation: u64,
        wait: Duration,
    ) -> Result<Arc<TaskView>, EngineError> {
        let end = tokio::time::Instant::now() + wait.min(MAX_CHANGE_WAIT);
        // Access check before a feed is created for the task.
        let mut present = self.inner.load(principal, task).await?;
        let feed = self.inner.hub.feed(&task.task);
        loop {
            // Attached before the journal is read, so no event is missed in between.
            let Some(mut queue) = feed.attach() else { break };
            present = self.inner.load(principal, task).await?;
            if present.generation > generation || present.state.is_terminal() {
                break;
            }
            if timeout_at(end, wait_for_visible_event(&mut queue, &present)).await.is_err() {
                present = self.inner.load(principal, task).await?;
                break;
            }
        }
        Ok(Arc::new(present.view()))
    }
}

/// Returns at the first caller-visible event after `present`, or when the queue is closed.
async fn wait_for_visible_event(queue: &mut mpsc::Receiver<FeedItem>, present: &TaskRecord) {
    while let Some(item) = queue.recv().await {
        if let FeedItem::Event(event) = item
            && event.number > present.version
            && matches!(&event.fact, JournalEvent::Task(fact) if is_visible_to_caller(present.autonomous, fact))
        {
            return;
        }
    }
}
