//! Ownership check for the audit log.

use crate::Engine;
use baton_ports::JournalError;
use baton_types::{Principal, StreamId};

impl Engine {
    /// Whether the stream exists and belongs to another principal. For the audit log only: the result must not be
    /// visible to callers.
    pub async fn is_foreign(&self, principal: &Principal, stream: &StreamId) -> Result<bool, JournalError> {
        let journal = self.inner.journal();
        if journal.events(stream, 0, 1).await?.is_empty() {
            return Ok(false);
        }
        Ok(journal.load(Some(principal), stream).await?.is_none())
    }
}
