//! Whether something that a caller was told is missing belongs to somebody else.

use crate::{Engine, EngineError};
use baton_types::{Principal, StreamId};

impl Engine {
    /// Whether it exists and is not the caller's. This is for the audit log alone: callers must not be able to tell.
    pub async fn is_foreign(&self, principal: &Principal, stream: &StreamId) -> Result<bool, EngineError> {
        let journal = self.inner.journal();
        if journal.events(stream, 0, 1).await?.is_empty() {
            return Ok(false);
        }
        Ok(journal.load(Some(principal), stream).await?.is_none())
    }
}
