//! Deletes a session.

use super::{SessionError, SessionRef};
use crate::{Engine, EngineError, TaskRef};
use baton_ports::{Conversation, Forgotten};
use baton_types::{Principal, StreamId};
use std::sync::Arc;

/// Maximum tasks canceled per delete: new ones may be started concurrently.
const MOST_CANCELED: usize = 10_000;

/// Handling of unfinished tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// Fail and change nothing.
    Refuse,
    /// Cancel them first.
    Cancel,
}

/// Result of a deletion.
#[derive(Clone, Debug)]
pub struct Deleted {
    /// The deleted conversation.
    pub conversation: Conversation,
    /// Number of tasks canceled.
    pub canceled: usize,
}

impl Engine {
    /// Deletes a conversation of the caller, atomically.
    pub async fn delete_session(
        &self,
        principal: &Arc<Principal>,
        wanted: &SessionRef,
        unfinished: Unfinished,
    ) -> Result<Deleted, SessionError> {
        let conversation = self.inner.conversation(principal, wanted).await?;
        let Conversation { agent, context, .. } = &conversation;
        let mut canceled = 0;
        loop {
            // Queued writes come first, so that nothing is written to a deleted stream.
            self.inner.synced().await?;
            let task = match self.inner.journal().forget(principal, agent, context).await? {
                Forgotten::Unfinished(StreamId::Task(task)) => task,
                Forgotten::Unfinished(_) | Forgotten::Streams(_) => return Ok(Deleted { conversation, canceled }),
            };
            if unfinished == Unfinished::Refuse || canceled >= MOST_CANCELED {
                return Err(SessionError::Unfinished { context: context.clone(), task });
            }
            match self.cancel(principal, &TaskRef { task, agent: None }).await {
                // The task ended meanwhile.
                Ok(_) | Err(EngineError::NotCancelable { .. } | EngineError::TaskNotFound(_)) => canceled += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }
}
