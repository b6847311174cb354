//! Journaled events of a task.

use crate::{Client, ClientError};
use baton_api::{EventEntry, EventList};
use baton_encoding::path_segment;

impl Client {
    /// Journaled events of a task with numbers above `after`, at most `limit` (maximum 1,000).
    pub async fn events(&self, task: &str, after: u64, limit: usize) -> Result<Vec<EventEntry>, ClientError> {
        let path = format!("/api/v1/tasks/{}/events?after={after}&limit={limit}", path_segment(task));
        self.document::<EventList>(&path).await.map(|list| list.events)
    }
}
