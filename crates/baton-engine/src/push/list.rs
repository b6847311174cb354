//! Lists the push configurations of a task.

use super::delivery_queue::PushKey;
use crate::{Engine, EngineError, TaskRef, send::internal};
use baton_types::{Principal, PushConfig};
use std::sync::Arc;

impl Engine {
    /// The push configurations of a task, by id.
    pub async fn pushes(&self, principal: &Arc<Principal>, task: &TaskRef) -> Result<Vec<PushConfig>, EngineError> {
        self.inner.load(principal, task).await?;
        let entries = self.inner.push_entries(&task.task).await?;
        let read = |entry: &baton_ports::OutboxEntry| {
            entry
                .body
                .read::<PushConfig>()
                .map_err(|error| internal(&format!("push configuration {}: {error}", entry.id)))
        };
        entries.iter().filter(|entry| PushKey::from_entry(entry).is_some()).map(read).collect()
    }
}
