//! Deletes a session.

use super::{SessionError, SessionRef};
use crate::{Engine, EngineError, TaskRef};
use baton_ports::{ConversationSummary, DeleteOutcome};
use baton_types::{Principal, StreamId};
use std::sync::Arc;

/// Maximum tasks canceled per delete: new ones may be started concurrently.
const MAX_CANCELED_TASKS: usize = 10_000;

/// Handling of unfinished tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnfinishedPolicy {
    /// Fail and change nothing.
    Refuse,
    /// Cancel them first.
    Cancel,
}

/// Result of a deletion.
#[derive(Clone, Debug)]
pub struct SessionDeletion {
    /// The deleted conversation.
    pub conversation: ConversationSummary,
    /// Number of tasks canceled.
    pub canceled: usize,
}

impl Engine {
    /// Deletes a conversation of the caller, atomically.
    pub async fn delete_session(
        &self,
        principal: &Arc<Principal>,
        reference: &SessionRef,
        unfinished: UnfinishedPolicy,
    ) -> Result<SessionDeletion, SessionError> {
        let conversation = self.inner.conversation(principal, reference).await?;
        let ConversationSummary { agent, context, .. } = &conversation;
        let mut canceled = 0;
        loop {
            // Queued writes come first, so that nothing is written to a deleted stream.
            self.inner.wait_for_sync().await?;
            let task = match self.inner.journal().delete_conversation(principal, agent, context).await? {
                DeleteOutcome::Unfinished(StreamId::Task(task)) => task,
                DeleteOutcome::Unfinished(_) | DeleteOutcome::Deleted(_) => {
                    return Ok(SessionDeletion { conversation, canceled });
                }
            };
            if unfinished == UnfinishedPolicy::Refuse || canceled >= MAX_CANCELED_TASKS {
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
