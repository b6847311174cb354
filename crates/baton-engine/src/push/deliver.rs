//! Delivers the events of one outbox entry in order, one at a time.
//!
//! Progress is recorded only after the receiver has accepted the notification, so a crash in between repeats it and
//! never loses it.

use super::{
    CHANNEL,
    delivery_queue::{DeliveryOutcome, PushKey, is_due},
    host_queues::digest,
};
use crate::{
    engine::EngineInner,
    open::fold_one,
    retry::{JOURNAL_RETRY, PUSH_RETRY},
};
use baton_ports::{
    BoxFuture, JournalError, LoadedStream, NotificationOutcome, OutboxEntry, OutboxProgress, StoredEvent,
    TaskNotification, WebhookError,
};
use baton_rules::{TaskRecord, is_visible_to_caller};
use baton_types::{Backoff, Jitter, JournalEvent, PushConfig, StreamId, Timestamp};
use std::{sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Events read per page.
const PAGE: usize = 256;

/// Time for an in-flight notification to complete at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// Delivers all pending events to the receiver.
pub(super) async fn deliver(inner: &EngineInner, key: &PushKey, stop: &CancellationToken) -> DeliveryOutcome {
    let stream = StreamId::Task(key.task.clone());
    let delivery = Delivery { inner, key, stop, stream, id: key.entry_id() };
    match delivery.run().await {
        Ok(()) => DeliveryOutcome::CaughtUp,
        Err(DeliveryInterrupt::Outcome(outcome)) => outcome,
        Err(DeliveryInterrupt::Damaged(reason)) => {
            tracing::error!(order = delivery.id, what = %reason, "an outbox entry cannot be delivered");
            DeliveryOutcome::Closed
        }
    }
}

/// Cause of an early end of a delivery.
enum DeliveryInterrupt {
    Outcome(DeliveryOutcome),
    /// A retry would not help.
    Damaged(String),
}

impl From<DeliveryOutcome> for DeliveryInterrupt {
    fn from(outcome: DeliveryOutcome) -> Self {
        Self::Outcome(outcome)
    }
}

struct Delivery<'a> {
    inner: &'a EngineInner,
    key: &'a PushKey,
    stop: &'a CancellationToken,
    stream: StreamId,
    id: String,
}

impl Delivery<'_> {
    async fn run(&self) -> Result<(), DeliveryInterrupt> {
        let entry = self.entry().await?.filter(|entry| entry.progress.open).ok_or(DeliveryOutcome::Closed)?;
        if !is_due(entry.progress.due_at, self.now()) {
            return Err(DeliveryOutcome::RetryAt(entry.progress.due_at).into());
        }
        let config: PushConfig = entry.body.read().map_err(|error| DeliveryInterrupt::Damaged(error.to_string()))?;
        let mut progress = entry.progress;
        let journal = self.inner.journal();
        let Some(loaded) = self.retry_journal(|| journal.load(None, &self.stream)).await? else {
            self.retry_journal(|| journal.outbox_remove(&self.id)).await?;
            return Err(DeliveryOutcome::Closed.into());
        };
        let (mut folded, mut events) = begin(loaded, progress.cursor)?;
        loop {
            for event in &events {
                fold_one(&self.key.task, &mut folded, event.at, &event.fact)
                    .map_err(|reason| DeliveryInterrupt::Damaged(format!("event {}: {reason}", event.number)))?;
                if let Some(task) = &folded
                    && event.number > progress.cursor
                {
                    self.deliver_event(&config, &mut progress, task, event).await?;
                }
            }
            let after = folded.as_ref().map_or(0, |task| task.version);
            events = self.retry_journal(|| journal.events(&self.stream, after, PAGE)).await?;
            if events.is_empty() {
                break;
            }
        }
        match folded {
            Some(task) if task.state.is_terminal() => {
                self.record(OutboxProgress { open: false, ..delivered_progress(task.version, self.now()) }).await?;
                Err(DeliveryOutcome::Closed.into())
            }
            _ => Ok(()),
        }
    }

    async fn entry(&self) -> Result<Option<OutboxEntry>, DeliveryInterrupt> {
        let entries = self.retry_journal(|| self.inner.journal().outbox(CHANNEL, &self.stream)).await?;
        Ok(entries.into_iter().find(|entry| entry.id == self.id))
    }

    /// Delivers one event; returns when it needs no further delivery.
    async fn deliver_event(
        &self,
        config: &PushConfig,
        progress: &mut OutboxProgress,
        task: &TaskRecord,
        event: &StoredEvent,
    ) -> Result<(), DeliveryInterrupt> {
        if !matches!(&event.fact, JournalEvent::Task(fact) if is_visible_to_caller(task.autonomous, fact)) {
            return Ok(());
        }
        let view = task.view();
        let a2a = self.inner.ports.agents.agent(&view.agent).map(|agent| agent.a2a).unwrap_or_default();
        let failure = match self.notify(config, TaskNotification { task: &view, event, a2a }).await? {
            Ok(NotificationOutcome::NotApplicable) => return Ok(()),
            Ok(NotificationOutcome::Delivered) => {
                self.inner.delivery_queue.record_response(self.key, true);
                *progress =
                    OutboxProgress { open: !task.state.is_terminal(), ..delivered_progress(event.number, self.now()) };
                self.record(progress.clone()).await?;
                return if progress.open { Ok(()) } else { Err(DeliveryOutcome::Closed.into()) };
            }
            Err(failure) => failure,
        };
        self.inner.delivery_queue.record_response(self.key, false);
        let now = self.now();
        let attempts = progress.attempts.saturating_add(1);
        let since = progress.failing_since.unwrap_or(now);
        // Each notification has its own deadline, but a backlog of failing notifications does not wait for one deadline
        // after the other.
        let deadline = since.max(event.at).after(self.inner.options.push_deadline);
        if deadline <= now {
            tracing::warn!(task = %self.key.task, config = %self.key.config, event = event.number, %failure,
                "a notification was dropped: its receiver did not accept it before the deadline");
            *progress =
                OutboxProgress { attempts, failing_since: Some(since), ..delivered_progress(event.number, now) };
            return self.record(progress.clone()).await;
        }
        tracing::debug!(order = self.id, event = event.number, %failure, "a notification could not be delivered");
        // The last attempt is at the deadline, not one backoff delay after it.
        let delay = PUSH_RETRY.jittered_delay(attempts - 1, Jitter::from_bits(digest(&self.id)));
        let due_at = now.after(delay).min(deadline);
        self.record(OutboxProgress { due_at, attempts, failing_since: Some(since), ..progress.clone() }).await?;
        Err(DeliveryOutcome::RetryAt(due_at).into())
    }

    async fn notify(
        &self,
        config: &PushConfig,
        notice: TaskNotification<'_>,
    ) -> Result<Result<NotificationOutcome, WebhookError>, DeliveryInterrupt> {
        let stopping = async {
            self.inner.stopping.cancelled().await;
            tokio::time::sleep(SHUTDOWN_TIMEOUT).await;
        };
        tokio::select! {
            biased;
            () = self.stop.cancelled() => Err(DeliveryOutcome::Stopped.into()),
            notified = self.inner.ports.webhooks.notify(config, notice) => Ok(notified),
            () = stopping => Err(DeliveryOutcome::Stopped.into()),
        }
    }

    /// Stores the progress. Ends the delivery when the entry is gone or the process stops.
    async fn record(&self, progress: OutboxProgress) -> Result<(), DeliveryInterrupt> {
        let journal = self.inner.journal();
        if !self.retry_journal(|| journal.outbox_advance(&self.id, progress.clone())).await? {
            return Err(DeliveryOutcome::Closed.into());
        }
        if self.inner.stopping.is_cancelled() || self.stop.is_cancelled() {
            return Err(DeliveryOutcome::Stopped.into());
        }
        Ok(())
    }

    /// Retries a journal request until it succeeds. Giving up would only repeat delivered notifications.
    async fn retry_journal<'j, T>(
        &self,
        request: impl Fn() -> BoxFuture<'j, Result<T, JournalError>>,
    ) -> Result<T, DeliveryInterrupt> {
        let mut backoff = Backoff::new(JOURNAL_RETRY);
        loop {
            match request().await {
                Ok(answer) => return Ok(answer),
                Err(
                    error
                    @ (JournalError::Corrupt(_) | JournalError::Damaged { .. } | JournalError::NewerSchema { .. }),
                ) => {
                    return Err(DeliveryInterrupt::Damaged(error.to_string()));
                }
                Err(error) => tracing::debug!(order = self.id, %error, "waiting for the journal"),
            }
            tokio::select! {
                () = self.stop.cancelled() => return Err(DeliveryOutcome::Stopped.into()),
                () = self.inner.stopping.cancelled() => return Err(DeliveryOutcome::Stopped.into()),
                () = tokio::time::sleep(backoff.next_delay()) => {}
            }
        }
    }

    fn now(&self) -> Timestamp {
        self.inner.ports.clock.now()
    }
}

/// The newest state at or before the cursor, and the loaded events after it.
fn begin(loaded: LoadedStream, cursor: u64) -> Result<(Option<TaskRecord>, Vec<Arc<StoredEvent>>), DeliveryInterrupt> {
    match loaded.snapshot {
        None => Ok((None, loaded.events)),
        Some(snapshot) if snapshot.version <= cursor => {
            let task =
                snapshot.state.read::<TaskRecord>().map_err(|error| DeliveryInterrupt::Damaged(error.to_string()))?;
            Ok((Some(task), loaded.events))
        }
        Some(_) => Ok((None, Vec::new())),
    }
}

/// Progress after delivery of all events up to `cursor`.
fn delivered_progress(cursor: u64, now: Timestamp) -> OutboxProgress {
    OutboxProgress { cursor, due_at: now, attempts: 0, failing_since: None, open: true }
}
