//! Delivers the events of one outbox entry in order, one at a time.
//!
//! Progress is recorded only after the receiver has accepted the notification, so a crash in between repeats it and
//! never loses it.

use super::{
    CHANNEL,
    lanes::digest,
    orders::{Key, Return, is_due},
};
use crate::{engine::Inner, open::fold_one};
use baton_ports::{
    BoxFuture, JournalError, Loaded, Notice, Notified, OutboxEntry, OutboxProgress, StoredEvent, WebhookError,
};
use baton_rules::{Task, is_seen, push_backoff};
use baton_types::{Fact, PushConfig, StreamId, Timestamp};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Events read per page.
const PAGE: usize = 256;

/// Time for an in-flight notification to complete at shutdown.
const GRACE: Duration = Duration::from_secs(1);

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Delivers all pending events to the receiver.
pub(super) async fn deliver(inner: &Inner, key: &Key, stop: &CancellationToken) -> Return {
    let stream = StreamId::Task(key.task.clone());
    let trip = Delivery { inner, key, stop, stream, id: key.entry_id() };
    match trip.run().await {
        Ok(()) => Return::CaughtUp,
        Err(Break::Return(came)) => came,
        Err(Break::Damaged(what)) => {
            tracing::error!(order = trip.id, %what, "an outbox entry cannot be delivered");
            Return::Over
        }
    }
}

/// Cause of an early end of a delivery.
enum Break {
    Return(Return),
    /// A retry would not help.
    Damaged(String),
}

impl From<Return> for Break {
    fn from(came: Return) -> Self {
        Self::Return(came)
    }
}

struct Delivery<'a> {
    inner: &'a Inner,
    key: &'a Key,
    stop: &'a CancellationToken,
    stream: StreamId,
    id: String,
}

impl Delivery<'_> {
    async fn run(&self) -> Result<(), Break> {
        let entry = self.entry().await?.filter(|entry| entry.progress.open).ok_or(Return::Over)?;
        if !is_due(entry.progress.due_at, self.now()) {
            return Err(Return::Later(entry.progress.due_at).into());
        }
        let config: PushConfig = entry.body.read().map_err(|error| Break::Damaged(error.to_string()))?;
        let mut progress = entry.progress;
        let journal = self.inner.journal();
        let Some(loaded) = self.insist(|| journal.load(None, &self.stream)).await? else {
            self.insist(|| journal.outbox_remove(&self.id)).await?;
            return Err(Return::Over.into());
        };
        let (mut folded, mut events) = begin(loaded, progress.cursor)?;
        loop {
            for event in &events {
                fold_one(&self.key.task, &mut folded, event.at, &event.fact)
                    .map_err(|what| Break::Damaged(format!("event {}: {what}", event.number)))?;
                if let Some(task) = &folded
                    && event.number > progress.cursor
                {
                    self.tell(&config, &mut progress, task, event).await?;
                }
            }
            let after = folded.as_ref().map_or(0, |task| task.version);
            events = self.insist(|| journal.events(&self.stream, after, PAGE)).await?;
            if events.is_empty() {
                break;
            }
        }
        match folded {
            Some(task) if task.state.is_terminal() => {
                self.record(OutboxProgress { open: false, ..told(task.version, self.now()) }).await?;
                Err(Return::Over.into())
            }
            _ => Ok(()),
        }
    }

    async fn entry(&self) -> Result<Option<OutboxEntry>, Break> {
        let entries = self.insist(|| self.inner.journal().outbox(CHANNEL, &self.stream)).await?;
        Ok(entries.into_iter().find(|entry| entry.id == self.id))
    }

    /// Delivers one event; returns when it needs no further delivery.
    async fn tell(
        &self,
        config: &PushConfig,
        progress: &mut OutboxProgress,
        task: &Task,
        event: &StoredEvent,
    ) -> Result<(), Break> {
        if !matches!(&event.fact, Fact::Task(fact) if is_seen(task.autonomous, fact)) {
            return Ok(());
        }
        let view = task.view();
        let a2a = self.inner.ports.agents.agent(&view.agent).map(|agent| agent.a2a).unwrap_or_default();
        let failure = match self.notify(config, Notice { task: &view, event, a2a }).await? {
            Ok(Notified::NothingToSay) => return Ok(()),
            Ok(Notified::Delivered) => {
                self.inner.orders.answered(self.key, true);
                *progress = OutboxProgress { open: !task.state.is_terminal(), ..told(event.number, self.now()) };
                self.record(progress.clone()).await?;
                return if progress.open { Ok(()) } else { Err(Return::Over.into()) };
            }
            Err(failure) => failure,
        };
        self.inner.orders.answered(self.key, false);
        let now = self.now();
        let attempts = progress.attempts.saturating_add(1);
        let since = progress.failing_since.unwrap_or(now);
        // Each notification has its own deadline, but a backlog of failing notifications does not wait for one deadline
        // after the other.
        let deadline = since.max(event.at).after(self.inner.options.push_deadline);
        if deadline <= now {
            tracing::warn!(task = %self.key.task, config = %self.key.config, event = event.number, %failure,
                "a notification was dropped: its receiver did not accept it before the deadline");
            *progress = OutboxProgress { attempts, failing_since: Some(since), ..told(event.number, now) };
            return self.record(progress.clone()).await;
        }
        tracing::debug!(order = self.id, event = event.number, %failure, "a notification could not be delivered");
        // The last attempt is at the deadline, not one backoff delay after it.
        let due_at = now.after(push_backoff(attempts, digest(&self.id))).min(deadline);
        self.record(OutboxProgress { due_at, attempts, failing_since: Some(since), ..progress.clone() }).await?;
        Err(Return::Later(due_at).into())
    }

    async fn notify(&self, config: &PushConfig, notice: Notice<'_>) -> Result<Result<Notified, WebhookError>, Break> {
        let stopping = async {
            self.inner.stopping.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(Return::Stopped.into()),
            notified = self.inner.ports.webhooks.notify(config, notice) => Ok(notified),
            () = stopping => Err(Return::Stopped.into()),
        }
    }

    /// Stores the progress. Ends the delivery when the entry is gone or the process stops.
    async fn record(&self, progress: OutboxProgress) -> Result<(), Break> {
        let journal = self.inner.journal();
        if !self.insist(|| journal.outbox_advance(&self.id, progress.clone())).await? {
            return Err(Return::Over.into());
        }
        if self.inner.stopping.is_cancelled() || self.stop.is_cancelled() {
            return Err(Return::Stopped.into());
        }
        Ok(())
    }

    /// Retries a journal request until it succeeds. Giving up would only repeat delivered notifications.
    async fn insist<'j, T>(&self, ask: impl Fn() -> BoxFuture<'j, Result<T, JournalError>>) -> Result<T, Break> {
        let mut pause = FIRST_PAUSE;
        loop {
            match ask().await {
                Ok(answer) => return Ok(answer),
                Err(error @ (JournalError::Corrupt(_) | JournalError::Damaged { .. } | JournalError::Newer { .. })) => {
                    return Err(Break::Damaged(error.to_string()));
                }
                Err(error) => tracing::debug!(order = self.id, %error, "waiting for the journal"),
            }
            tokio::select! {
                () = self.stop.cancelled() => return Err(Return::Stopped.into()),
                () = self.inner.stopping.cancelled() => return Err(Return::Stopped.into()),
                () = tokio::time::sleep(pause) => {}
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn now(&self) -> Timestamp {
        self.inner.ports.clock.now()
    }
}

/// The newest state at or before the cursor, and the loaded events after it.
fn begin(loaded: Loaded, cursor: u64) -> Result<(Option<Task>, Vec<Arc<StoredEvent>>), Break> {
    match loaded.snapshot {
        None => Ok((None, loaded.events)),
        Some(snapshot) if snapshot.version <= cursor => {
            let task = snapshot.state.read::<Task>().map_err(|error| Break::Damaged(error.to_string()))?;
            Ok((Some(task), loaded.events))
        }
        Some(_) => Ok((None, Vec::new())),
    }
}

/// Progress after delivery of all events up to `cursor`.
fn told(cursor: u64, now: Timestamp) -> OutboxProgress {
    OutboxProgress { cursor, due_at: now, attempts: 0, failing_since: None, open: true }
}
