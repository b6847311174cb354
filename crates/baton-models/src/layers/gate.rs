//! Concurrency and rate limits of a provider.

use super::as_inner;
use async_stream::stream;
use baton_ports::{Model, ModelCall, ModelError, ModelEvent, ModelStream, RetryAdvice};
use futures_util::StreamExt;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Mutex, OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

const MINUTE: Duration = Duration::from_secs(60);

/// Limits of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateLimits {
    /// Maximum number of concurrent calls.
    pub concurrency: usize,
    /// Maximum number of calls per minute; unlimited if absent.
    pub per_minute: Option<u32>,
    /// Maximum number of queued calls; further calls are rejected.
    pub queue: usize,
}

impl Default for GateLimits {
    fn default() -> Self {
        Self { concurrency: 64, per_minute: None, queue: 1024 }
    }
}

/// Concurrency and rate limiter of one provider, shared by all its models and all agents.
#[derive(Debug)]
pub struct ProviderGate {
    provider: String,
    limits: GateLimits,
    slots: Arc<Semaphore>,
    waiting: AtomicUsize,
    // Locked while a call waits for a token, so that calls proceed in order and a cancelled call takes no token.
    bucket: Mutex<GateTokenBucket>,
}

#[derive(Debug)]
struct GateTokenBucket {
    tokens: f64,
    filled: Option<Instant>,
}

impl ProviderGate {
    /// Creates the gate of a provider.
    pub fn new(provider: impl Into<String>, limits: GateLimits) -> Arc<Self> {
        let slots = limits.concurrency.clamp(1, Semaphore::MAX_PERMITS);
        Arc::new(Self {
            provider: provider.into(),
            limits,
            slots: Arc::new(Semaphore::new(slots)),
            waiting: AtomicUsize::new(0),
            bucket: Mutex::new(GateTokenBucket { tokens: f64::from(limits.per_minute.unwrap_or(0)), filled: None }),
        })
    }

    /// Waits for a slot; dropping the permit releases it.
    async fn acquire(&self) -> Result<OwnedSemaphorePermit, ModelError> {
        // The slot comes first and the rate last, so that a token is taken just before its request is sent.
        let permit = match Arc::clone(&self.slots).try_acquire_owned() {
            Ok(permit) if self.limits.per_minute.is_none() => return Ok(permit),
            Ok(permit) => Some(permit),
            Err(_) => None,
        };
        let _place = QueuePosition::reserve(self)?;
        let permit = match permit {
            Some(permit) => permit,
            None => {
                let closed = |_| ModelError::Unreachable(format!("the call queue of {} is closed", self.provider));
                Arc::clone(&self.slots).acquire_owned().await.map_err(closed)?
            }
        };
        if let Some(per_minute) = self.limits.per_minute {
            self.take_token(per_minute.max(1)).await;
        }
        Ok(permit)
    }

    async fn take_token(&self, per_minute: u32) {
        let rate = f64::from(per_minute);
        let mut bucket = self.bucket.lock().await;
        loop {
            let now = Instant::now();
            let since = bucket.filled.map_or(Duration::ZERO, |filled| now.duration_since(filled));
            bucket.filled = Some(now);
            bucket.tokens = (bucket.tokens + rate * since.as_secs_f64() / MINUTE.as_secs_f64()).min(rate);
            if bucket.tokens >= 1.0 {
                bucket.tokens -= 1.0;
                return;
            }
            let missing = MINUTE.mul_f64((1.0 - bucket.tokens) / rate);
            // Timers have millisecond resolution; the remaining wait must not round down to zero.
            tokio::time::sleep(missing.max(Duration::from_millis(1))).await;
        }
    }
}

/// A position in the queue, released on drop.
struct QueuePosition<'a>(&'a ProviderGate);

impl<'a> QueuePosition<'a> {
    fn reserve(gate: &'a ProviderGate) -> Result<Self, ModelError> {
        let position = Self(gate);
        if gate.waiting.fetch_add(1, Ordering::AcqRel) >= gate.limits.queue {
            let (provider, queue) = (&gate.provider, gate.limits.queue);
            let message = format!(
                "{queue} calls are already queued for {provider}; raise its limits or send fewer concurrent requests"
            );
            return Err(ModelError::Refused { status: 429, message, advice: RetryAdvice::default() });
        }
        Ok(position)
    }
}

impl Drop for QueuePosition<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A model behind the gate of its provider.
pub struct GatedModel {
    inner: Arc<dyn Model>,
    gate: Arc<ProviderGate>,
}

impl GatedModel {
    /// Wraps a model.
    pub fn new(inner: Arc<dyn Model>, gate: Arc<ProviderGate>) -> Self {
        Self { inner, gate }
    }
}

impl Model for GatedModel {
    as_inner!(inner);

    fn call(&self, call: ModelCall) -> ModelStream {
        let (inner, gate) = (Arc::clone(&self.inner), Arc::clone(&self.gate));
        Box::pin(stream! {
            let permit = match gate.acquire().await {
                Ok(permit) => permit,
                Err(error) => {
                    yield Err(error);
                    return;
                }
            };
            let mut answer = inner.call(call);
            while let Some(event) = answer.next().await {
                if matches!(event, Err(_) | Ok(ModelEvent::Done { .. })) {
                    // The request is complete: the slot is released before the consumer takes the last event.
                    drop(answer);
                    drop(permit);
                    yield event;
                    return;
                }
                yield event;
            }
        })
    }
}
