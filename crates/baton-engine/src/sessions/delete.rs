//! Forgetting a conversation.

use super::{SessionError, SessionRef};
use crate::{Engine, EngineError, TaskRef};
use baton_ports::{Conversation, Forgotten};
use baton_types::{Principal, StreamId};
use std::sync::Arc;

/// Tasks that are canceled before it is given up: somebody may begin new ones as fast.
const MOST_CANCELED: usize = 10_000;

/// What to do with work that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// Leave everything as it is.
    Refuse,
    /// Cancel it first.
    Cancel,
}

/// What is gone.
#[derive(Clone, Debug)]
pub struct Deleted {
    /// What was on record of it.
    pub conversation: Conversation,
    /// How many tasks were canceled for it.
    pub canceled: usize,
}

impl Engine {
    /// Forgets one of the caller's conversations, all of it or nothing.
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
            // Whatever is queued about it comes first, so that nothing is written to what is gone.
            self.inner.synced().await?;
            let task = match self.inner.journal().forget(principal, agent, context).await? {
                Forgotten::Unfinished(StreamId::Task(task)) => task,
                Forgotten::Unfinished(_) | Forgotten::Streams(_) => return Ok(Deleted { conversation, canceled }),
            };
            if unfinished == Unfinished::Refuse || canceled >= MOST_CANCELED {
                return Err(SessionError::Unfinished { context: context.clone(), task });
            }
            match self.cancel(principal, &TaskRef { task, agent: None }).await {
                // It ended by itself meanwhile.
                Ok(_) | Err(EngineError::NotCancelable { .. } | EngineError::TaskNotFound(_)) => canceled += 1,
                Err(error) => return Err(error.into()),
            }
        }
    }
}
