//! Waiting until there is something new to see.

use crate::{Engine, EngineError, FeedItem, TaskRef};
use baton_rules::{Task, is_seen};
use baton_types::{Fact, Principal, TaskView};
use std::{sync::Arc, time::Duration};
use tokio::{sync::mpsc, time::timeout_at};

/// Nobody waits longer, whatever was asked.
const LONGEST_WAIT: Duration = Duration::from_secs(60 * 60);

impl Engine {
    /// The task as soon as it is beyond a generation, or as it is when the wait is over or the task has ended.
    pub async fn changed(
        &self,
        principal: &Arc<Principal>,
        task: &TaskRef,
        generation: u64,
        wait: Duration,
    ) -> Result<Arc<TaskView>, EngineError> {
        let end = tokio::time::Instant::now() + wait.min(LONGEST_WAIT);
        // Whoever may not see the task must not even have a feed made for it.
        let mut present = self.inner.load(principal, task).await?;
        let feed = self.inner.hub.feed(&task.task);
        loop {
            // Attached before the journal is read, so that nothing can happen unseen in between.
            let Some(mut queue) = feed.attach() else { break };
            present = self.inner.load(principal, task).await?;
            if present.generation > generation || present.state.is_terminal() {
                break;
            }
            if timeout_at(end, something_new(&mut queue, &present)).await.is_err() {
                present = self.inner.load(principal, task).await?;
                break;
            }
        }
        Ok(Arc::new(present.view()))
    }
}

/// Returns at the first event after the present that callers can see, or when the queue was cut off.
async fn something_new(queue: &mut mpsc::Receiver<FeedItem>, present: &Task) {
    while let Some(item) = queue.recv().await {
        if let FeedItem::Event(event) = item
            && event.number > present.version
            && matches!(&event.fact, Fact::Task(fact) if is_seen(present.autonomous, fact))
        {
            return;
        }
    }
}
