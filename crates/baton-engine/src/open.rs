//! Loads tasks for reading and opens them for changes.

use crate::{EngineError, TaskRef, engine::EngineInner, live::LiveTask};
use baton_ports::{JournalError, LoadedStream, StreamHead};
use baton_rules::TaskRecord;
use baton_types::{JournalEvent, Principal, StreamId, TaskId, Timestamp};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
    time::Duration,
};

/// Lease duration of a task; renewed by acquiring it again.
const LEASE_TTL: Duration = Duration::from_secs(60);

impl EngineInner {
    /// The task as stored in the journal.
    pub(crate) async fn load(&self, principal: &Principal, task: &TaskRef) -> Result<TaskRecord, EngineError> {
        let stream = StreamId::Task(task.task.clone());
        let missing = || EngineError::TaskNotFound(task.task.clone());
        let loaded = self.journal().load(Some(principal), &stream).await?.ok_or_else(missing)?;
        if task.agent.as_ref().is_some_and(|agent| *agent != loaded.head.agent) {
            return Err(missing());
        }
        fold(&task.task, &loaded)
    }

    /// Loads a listed task. Returns `None` when it is gone or unreadable; an unreadable task is logged and omitted from
    /// the list.
    pub(crate) async fn load_listed(
        &self,
        principal: &Principal,
        head: &StreamHead,
    ) -> Result<Option<TaskRecord>, EngineError> {
        let Some(id) = head.task() else { return Ok(None) };
        let loaded = match self.journal().load(Some(principal), &head.stream).await {
            Ok(loaded) => loaded.map(|loaded| fold(id, &loaded)).transpose(),
            Err(error) => Err(error.into()),
        };
        loaded.or_else(|error| match error.is_damage() {
            true => {
                tracing::warn!(code = error.code().code, task = %id, %error, "an unreadable task is omitted from a list");
                Ok(None)
            }
            false => Err(error),
        })
    }

    /// Opens the task for changes; there is one [`LiveTask`] per task in this process.
    pub(crate) async fn open(
        self: &Arc<Self>,
        principal: &Principal,
        task: &TaskRef,
    ) -> Result<Arc<LiveTask>, EngineError> {
        let missing = || EngineError::TaskNotFound(task.task.clone());
        if let Some(live) = self.live.lock().get(&task.task).cloned() {
            let visible = live.owner.tenant == principal.tenant && live.owner.subject == principal.subject;
            let addressed = task.agent.as_ref().is_none_or(|agent| *agent == live.lock().task.agent);
            return if visible && addressed { Ok(live) } else { Err(missing()) };
        }
        // Access check first: a caller without access must not advance the epoch.
        self.load(principal, task).await?;
        self.acquire_task(&task.task).await
    }

    /// Takes the task over under a new epoch.
    pub(crate) async fn acquire_task(self: &Arc<Self>, task: &TaskId) -> Result<Arc<LiveTask>, EngineError> {
        let mut hasher = DefaultHasher::new();
        task.hash(&mut hasher);
        let slot = usize::try_from(hasher.finish() % self.opening.len() as u64).unwrap_or(0);
        let _opening = self.opening[slot].lock().await;
        if let Some(live) = self.live.lock().get(task).cloned() {
            return Ok(live);
        }
        let stream = StreamId::Task(task.clone());
        let lease = self.journal().acquire(&stream, &self.options.holder, self.ports.clock.now(), LEASE_TTL).await?;
        let missing = || EngineError::TaskNotFound(task.clone());
        let loaded = self.journal().load(None, &stream).await?.ok_or_else(missing)?;
        let folded = fold(task, &loaded)?;
        let live = LiveTask::new(folded, lease.epoch, Arc::clone(&loaded.head.owner), self.hub.feed(task));
        live.lock().trace = self.last_trace(&loaded).await?;
        let live = Arc::new(live);
        self.live.lock().insert(task.clone(), Arc::clone(&live));
        Ok(live)
    }

    /// Trace of the last event; the task continues in the same trace.
    async fn last_trace(&self, loaded: &LoadedStream) -> Result<Option<Arc<str>>, EngineError> {
        if let Some(last) = loaded.events.last() {
            return Ok(last.trace.clone());
        }
        let before = loaded.head.version.saturating_sub(1);
        let last = self.journal().events(&loaded.head.stream, before, 1).await?;
        Ok(last.first().and_then(|event| event.trace.clone()))
    }
}

/// Folds the stored events into the task state.
pub(crate) fn fold(id: &TaskId, loaded: &LoadedStream) -> Result<TaskRecord, EngineError> {
    let damaged = |number, reason| {
        EngineError::Journal(JournalError::Damaged { stream: StreamId::Task(id.clone()), number, reason })
    };
    let corrupt = |reason: String| damaged(None, reason);
    let mut task = match &loaded.snapshot {
        Some(snapshot) => {
            let task = snapshot.state.read::<TaskRecord>().map_err(|error| corrupt(error.to_string()))?;
            if task.version != snapshot.version {
                return Err(corrupt(format!(
                    "the snapshot of version {} contains version {}",
                    snapshot.version, task.version
                )));
            }
            Some(task)
        }
        None => None,
    };
    for event in &loaded.events {
        fold_one(id, &mut task, event.at, &event.fact).map_err(|reason| damaged(Some(event.number), reason))?;
    }
    task.ok_or_else(|| corrupt("the task has no events".to_owned()))
}

/// Applies one more event.
pub(crate) fn fold_one(
    id: &TaskId,
    task: &mut Option<TaskRecord>,
    at: Timestamp,
    fact: &JournalEvent,
) -> Result<(), String> {
    let JournalEvent::Task(event) = fact else { return Err("not a task event".to_owned()) };
    match task {
        None => {
            *task = Some(TaskRecord::from_submission(id.clone(), at, event).map_err(|illegal| illegal.to_string())?);
        }
        Some(task) => task.apply(at, event).map_err(|illegal| illegal.to_string())?,
    }
    Ok(())
}
