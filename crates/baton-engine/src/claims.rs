//! Sends under an idempotency key: said once, however often they are sent.

use crate::{EngineError, IdempotencyKey, SendCommand, Subscription, TaskRef, engine::Inner, subscribe::Until};
use baton_ports::Claim;
use baton_types::{AgentName, Digest, Principal, StreamId, TaskId, TaskView};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// One lock for the keys that hash alike; waiting for a stranger's send costs a sync at most.
pub(crate) struct ClaimLocks(Vec<Arc<Mutex<()>>>);

const LOCKS: usize = 256;

impl Default for ClaimLocks {
    fn default() -> Self {
        Self((0..LOCKS).map(|_| Arc::default()).collect())
    }
}

impl ClaimLocks {
    async fn lock(&self, principal: &Principal, key: &str) -> OwnedMutexGuard<()> {
        let mut hasher = DefaultHasher::new();
        (&principal.tenant, &principal.subject, key).hash(&mut hasher);
        let slot = usize::try_from(hasher.finish() % LOCKS as u64).unwrap_or(0);
        Arc::clone(&self.0[slot]).lock_owned().await
    }
}

/// A key that nobody else can use until this is dropped, which is when the journal has answered.
pub(crate) struct HeldKey {
    key: String,
    request: Digest,
    _turn: OwnedMutexGuard<()>,
}

impl HeldKey {
    /// What the journal is to remember, with the first event of the send.
    pub(crate) fn claim(&self, principal: &Arc<Principal>, task: &TaskId, number: u64) -> Claim {
        Claim {
            principal: Arc::clone(principal),
            key: self.key.clone(),
            request: self.request.clone(),
            stream: StreamId::Task(task.clone()),
            number,
        }
    }
}

/// Whether a message was sent before.
pub(crate) enum Occasion {
    /// It was not, as far as anybody can know.
    First(Option<HeldKey>),
    /// It was, and this came of it.
    Again(Repeated),
}

/// Where an earlier send of the same message went.
pub(crate) struct Repeated {
    pub(crate) task: TaskId,
    agent: AgentName,
    /// The first event that came of it.
    number: u64,
}

impl Inner {
    /// Looks the command's key up, and holds it if it is free.
    pub(crate) async fn occasion(
        &self,
        principal: &Arc<Principal>,
        command: &mut SendCommand,
    ) -> Result<Occasion, EngineError> {
        let Some(asked) = command.idempotency.clone() else { return Ok(Occasion::First(None)) };
        if self.stopping.is_cancelled() {
            return Err(EngineError::ShuttingDown);
        }
        // An agent's name has no slash, so keys for different agents cannot meet.
        let key = format!("{}/{}", command.agent, asked.key);
        if let Some(config) = &command.push {
            // Finding a receiver takes as long as a stranger's name server likes: nobody's key may wait for that, and
            // a repetition needs no receiver.
            if let Some(again) = self.claimed(principal, &key, &asked, command).await? {
                return Ok(Occasion::Again(again));
            }
            self.accepting()?;
            command.push = Some(self.admitted(config.clone()).await?);
        }
        let turn = self.claims.lock(principal, &key).await;
        match self.claimed(principal, &key, &asked, command).await? {
            Some(again) => Ok(Occasion::Again(again)),
            None => Ok(Occasion::First(Some(HeldKey { key, request: asked.request, _turn: turn }))),
        }
    }

    async fn claimed(
        &self,
        principal: &Principal,
        key: &str,
        asked: &IdempotencyKey,
        command: &SendCommand,
    ) -> Result<Option<Repeated>, EngineError> {
        match self.journal().claim(principal, key).await? {
            None => Ok(None),
            Some(Claim { stream: StreamId::Task(task), number, request, .. }) if request == asked.request => {
                Ok(Some(Repeated { task, agent: command.agent.clone(), number }))
            }
            Some(_) => Err(EngineError::IdempotencyConflict(asked.key.clone())),
        }
    }

    /// The task of an earlier send, as it is now.
    pub(crate) async fn repeated(&self, principal: &Principal, again: &Repeated) -> Result<Arc<TaskView>, EngineError> {
        let task = TaskRef { task: again.task.clone(), agent: Some(again.agent.clone()) };
        Ok(Arc::new(self.load(principal, &task).await?.view()))
    }

    /// What came of an earlier send, from its first event to the end of that turn.
    pub(crate) async fn follow_repeated(
        self: &Arc<Self>,
        principal: &Principal,
        again: &Repeated,
    ) -> Result<Subscription, EngineError> {
        self.repeated(principal, again).await?;
        let then = self.as_of(&again.task, again.number).await?;
        Subscription::begin(self, &then, Until::TurnEnds).await
    }
}
