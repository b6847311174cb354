//! Idempotency keys: a repeated send returns the result of the first one.

use crate::{
    EngineError, IdempotencyKey, SendCommand, Subscription, TaskRef, engine::EngineInner, subscribe::SubscriptionEnd,
};
use baton_ports::Claim;
use baton_types::{AgentName, Digest, Principal, StreamId, TaskId, TaskView};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};
use tokio::sync::{Mutex, OwnedMutexGuard};

/// Sharded locks by key hash; a hash collision delays a send by at most one journal sync.
pub(crate) struct ClaimLocks(Vec<Arc<Mutex<()>>>);

const LOCK_COUNT: usize = 256;

impl Default for ClaimLocks {
    fn default() -> Self {
        Self((0..LOCK_COUNT).map(|_| Arc::default()).collect())
    }
}

impl ClaimLocks {
    async fn lock(&self, principal: &Principal, key: &str) -> OwnedMutexGuard<()> {
        let mut hasher = DefaultHasher::new();
        (&principal.tenant, &principal.subject, key).hash(&mut hasher);
        let slot = usize::try_from(hasher.finish() % LOCK_COUNT as u64).unwrap_or(0);
        Arc::clone(&self.0[slot]).lock_owned().await
    }
}

/// Exclusive hold on an idempotency key until the journal has answered.
pub(crate) struct IdempotencyGuard {
    key: String,
    request: Digest,
    _turn: OwnedMutexGuard<()>,
}

impl IdempotencyGuard {
    /// The claim to journal with the first event of the send.
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

/// Result of an idempotency lookup.
pub(crate) enum IdempotencyCheck {
    /// No earlier send is known; holds the key if the command has one.
    New(Option<IdempotencyGuard>),
    /// The message was sent before.
    Replay(PriorSend),
}

/// Reference to an earlier send of the same message.
pub(crate) struct PriorSend {
    pub(crate) task: TaskId,
    agent: AgentName,
    /// First event of the earlier send.
    number: u64,
}

impl EngineInner {
    /// Looks up the idempotency key of the command and locks it if it is unused.
    pub(crate) async fn check_idempotency(
        &self,
        principal: &Arc<Principal>,
        command: &mut SendCommand,
    ) -> Result<IdempotencyCheck, EngineError> {
        let Some(idempotency) = command.idempotency.clone() else { return Ok(IdempotencyCheck::New(None)) };
        if self.stopping.is_cancelled() {
            return Err(EngineError::ShuttingDown);
        }
        // An agent name has no slash, so keys of different agents cannot collide.
        let key = format!("{}/{}", command.agent, idempotency.key);
        if let Some(config) = &command.push {
            // Resolving a push receiver depends on external DNS. It happens before the key is locked, and a replay does
            // not need it.
            if let Some(prior) = self.find_prior_send(principal, &key, &idempotency, command).await? {
                return Ok(IdempotencyCheck::Replay(prior));
            }
            self.ensure_accepting()?;
            command.push = Some(self.admit_push_config(config.clone()).await?);
        }
        let turn = self.claims.lock(principal, &key).await;
        match self.find_prior_send(principal, &key, &idempotency, command).await? {
            Some(prior) => Ok(IdempotencyCheck::Replay(prior)),
            None => {
                Ok(IdempotencyCheck::New(Some(IdempotencyGuard { key, request: idempotency.request, _turn: turn })))
            }
        }
    }

    async fn find_prior_send(
        &self,
        principal: &Principal,
        key: &str,
        idempotency: &IdempotencyKey,
        command: &SendCommand,
    ) -> Result<Option<PriorSend>, EngineError> {
        match self.journal().claim(principal, key).await? {
            None => Ok(None),
            Some(Claim { stream: StreamId::Task(task), number, request, .. }) if request == idempotency.request => {
                Ok(Some(PriorSend { task, agent: command.agent.clone(), number }))
            }
            Some(_) => Err(EngineError::IdempotencyConflict(idempotency.key.clone())),
        }
    }

    /// The current task of an earlier send.
    pub(crate) async fn prior_task(
        &self,
        principal: &Principal,
        prior: &PriorSend,
    ) -> Result<Arc<TaskView>, EngineError> {
        let task = TaskRef { task: prior.task.clone(), agent: Some(prior.agent.clone()) };
        Ok(Arc::new(self.load(principal, &task).await?.view()))
    }

    /// Subscription to the turn of an earlier send, from its first event to its end.
    pub(crate) async fn follow_prior_send(
        self: &Arc<Self>,
        principal: &Principal,
        prior: &PriorSend,
    ) -> Result<Subscription, EngineError> {
        self.prior_task(principal, prior).await?;
        let prior_state = self.task_at(&prior.task, prior.number).await?;
        Subscription::begin(self, &prior_state, SubscriptionEnd::TurnEnd).await
    }
}
