//! Getting hold of a task: to look at it, or to change it.

use crate::{EngineError, TaskRef, engine::Inner, live::LiveTask};
use baton_ports::{Head, JournalError, Loaded};
use baton_rules::Task;
use baton_types::{Fact, Principal, StreamId, TaskId, Timestamp};
use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
    time::Duration,
};

/// How long nobody else may take a task over; renewed by taking it again.
const LEASE: Duration = Duration::from_secs(60);

impl Inner {
    /// The task as the journal has it.
    pub(crate) async fn load(&self, principal: &Principal, task: &TaskRef) -> Result<Task, EngineError> {
        let stream = StreamId::Task(task.task.clone());
        let missing = || EngineError::TaskNotFound(task.task.clone());
        let loaded = self.journal().load(Some(principal), &stream).await?.ok_or_else(missing)?;
        if task.agent.as_ref().is_some_and(|agent| *agent != loaded.head.agent) {
            return Err(missing());
        }
        fold(&task.task, &loaded)
    }

    /// A task that a list names. Nothing when it is gone, or when what is stored of it cannot be read: then the log names
    /// it, and the list has the others.
    pub(crate) async fn load_listed(&self, principal: &Principal, head: &Head) -> Result<Option<Task>, EngineError> {
        let Some(id) = head.task() else { return Ok(None) };
        let loaded = match self.journal().load(Some(principal), &head.stream).await {
            Ok(loaded) => loaded.map(|loaded| fold(id, &loaded)).transpose(),
            Err(error) => Err(error.into()),
        };
        loaded.or_else(|error| match error.is_damage() {
            true => {
                tracing::warn!(code = error.code().code, task = %id, %error, "a task is left out of a list");
                Ok(None)
            }
            false => Err(error),
        })
    }

    /// The task, ready to be changed by the only cell that this process has for it.
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
        // Checked before anything is taken over: a foreign caller must not even move the epoch.
        self.load(principal, task).await?;
        self.take(&task.task).await
    }

    /// Takes a task over under a new epoch.
    pub(crate) async fn take(self: &Arc<Self>, task: &TaskId) -> Result<Arc<LiveTask>, EngineError> {
        let mut hasher = DefaultHasher::new();
        task.hash(&mut hasher);
        let slot = usize::try_from(hasher.finish() % self.opening.len() as u64).unwrap_or(0);
        let _opening = self.opening[slot].lock().await;
        if let Some(live) = self.live.lock().get(task).cloned() {
            return Ok(live);
        }
        let stream = StreamId::Task(task.clone());
        let lease = self.journal().acquire(&stream, &self.options.holder, self.ports.clock.now(), LEASE).await?;
        let missing = || EngineError::TaskNotFound(task.clone());
        let loaded = self.journal().load(None, &stream).await?.ok_or_else(missing)?;
        let folded = fold(task, &loaded)?;
        let live = LiveTask::new(folded, lease.epoch, Arc::clone(&loaded.head.owner), self.hub.feed(task));
        live.lock().trace = self.last_trace(&loaded).await?;
        let live = Arc::new(live);
        self.live.lock().insert(task.clone(), Arc::clone(&live));
        Ok(live)
    }

    /// The trace in which a task was last worked on; it goes on in the same.
    async fn last_trace(&self, loaded: &Loaded) -> Result<Option<Arc<str>>, EngineError> {
        if let Some(last) = loaded.events.last() {
            return Ok(last.trace.clone());
        }
        let before = loaded.head.version.saturating_sub(1);
        let last = self.journal().events(&loaded.head.stream, before, 1).await?;
        Ok(last.first().and_then(|event| event.trace.clone()))
    }
}

/// The state that the stored events amount to.
pub(crate) fn fold(id: &TaskId, loaded: &Loaded) -> Result<Task, EngineError> {
    let damaged = |number, reason| {
        EngineError::Journal(JournalError::Damaged { stream: StreamId::Task(id.clone()), number, reason })
    };
    let corrupt = |reason: String| damaged(None, reason);
    let mut task = match &loaded.snapshot {
        Some(snapshot) => {
            let task = snapshot.state.read::<Task>().map_err(|error| corrupt(error.to_string()))?;
            if task.version != snapshot.version {
                return Err(corrupt(format!("its snapshot of version {} says {}", snapshot.version, task.version)));
            }
            Some(task)
        }
        None => None,
    };
    for event in &loaded.events {
        fold_one(id, &mut task, event.at, &event.fact).map_err(|reason| damaged(Some(event.number), reason))?;
    }
    task.ok_or_else(|| corrupt("it has no events".to_owned()))
}

/// One more event on top.
pub(crate) fn fold_one(id: &TaskId, task: &mut Option<Task>, at: Timestamp, fact: &Fact) -> Result<(), String> {
    let Fact::Task(event) = fact else { return Err("it is no event of a task".to_owned()) };
    match task {
        None => *task = Some(Task::submitted(id.clone(), at, event).map_err(|illegal| illegal.to_string())?),
        Some(task) => task.apply(at, event).map_err(|illegal| illegal.to_string())?,
    }
    Ok(())
}
