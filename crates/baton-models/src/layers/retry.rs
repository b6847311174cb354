//! Retries, as long as no part of the answer was delivered. Nothing else repeats a failed model call unchanged.

use super::{as_inner, is_answer_content, is_transient};
use async_stream::stream;
use baton_ports::{Model, ModelCall, ModelError, ModelEvent, ModelStream};
use baton_types::{BackoffPolicy, Jitter, ModelNote};
use futures_util::StreamExt;
use std::{fmt, sync::Arc, time::Duration};

/// Condition for a retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryCondition {
    /// The error is transient.
    Transient,
    /// The service requests a delay before the next attempt.
    Requested,
}

/// Condition for retries, number of attempts and backoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Condition for a retry.
    pub condition: RetryCondition,
    /// Maximum number of attempts, including the first; at least one.
    pub max_attempts: u32,
    /// Upper bound of the first delay; it doubles with every attempt.
    pub base_delay: Duration,
    /// Upper bound of every delay.
    pub max_delay: Duration,
    /// Maximum `Retry-After` that is honoured; there is no retry if the service asks for more.
    pub max_retry_after: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            condition: RetryCondition::Transient,
            max_attempts: 4,
            base_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(8),
            max_retry_after: Duration::from_secs(60),
        }
    }
}

impl RetryPolicy {
    /// Two retries, each exactly after the requested delay; without such a request, none.
    pub fn on_request() -> Self {
        Self {
            condition: RetryCondition::Requested,
            max_attempts: 3,
            base_delay: Duration::ZERO,
            max_delay: Duration::ZERO,
            max_retry_after: Duration::MAX,
        }
    }

    /// Delay after this attempt, counted from 1; `None` if there is no further attempt.
    ///
    /// The delay is random between zero and its upper bound (full jitter), so that calls that failed together are not
    /// retried together.
    pub fn delay(&self, tried: u32, error: &ModelError, chance: f64) -> Option<Duration> {
        let requested = requested_delay(error);
        let is_retryable = match self.condition {
            RetryCondition::Transient => is_transient(error),
            RetryCondition::Requested => requested.is_some(),
        };
        if tried >= self.max_attempts || !is_retryable {
            return None;
        }
        let backoff = BackoffPolicy::new(self.base_delay, self.max_delay).with_jitter(0, 100);
        let jittered = backoff.jittered_delay(tried.saturating_sub(1), Jitter::from_fraction(chance));
        match requested {
            Some(requested) => (requested <= self.max_retry_after).then(|| jittered.max(requested)),
            None => Some(jittered),
        }
    }
}

/// Delay that the service requests.
fn requested_delay(error: &ModelError) -> Option<Duration> {
    match error {
        ModelError::Refused { advice, .. } => advice.wait,
        _ => None,
    }
}

/// Source of random numbers from 0 to 1.
#[derive(Clone)]
pub struct JitterSource(Arc<dyn Fn() -> f64 + Send + Sync>);

impl JitterSource {
    /// Uses a custom source; for tests.
    pub fn from_fn(source: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(source))
    }

    fn draw(&self) -> f64 {
        (self.0)()
    }
}

impl Default for JitterSource {
    /// Uses the random generator of the system; 0.5 if it fails.
    fn default() -> Self {
        Self::from_fn(|| getrandom::u32().map_or(0.5, |number| f64::from(number) / f64::from(u32::MAX)))
    }
}

impl fmt::Debug for JitterSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JitterSource")
    }
}

/// A model that is called again when its service was busy or unreachable.
///
/// Retries belong here and not to the run: only the layers know how long the gate and the other models of a fallback
/// chain take, and only before the first part of an answer.
pub struct RetryModel {
    inner: Arc<dyn Model>,
    policy: RetryPolicy,
    jitter: JitterSource,
}

impl RetryModel {
    /// Wraps a model.
    pub fn new(inner: Arc<dyn Model>, policy: RetryPolicy, jitter: JitterSource) -> Self {
        Self { inner, policy, jitter }
    }
}

impl Model for RetryModel {
    as_inner!(inner);

    fn call(&self, call: ModelCall) -> ModelStream {
        let (inner, policy, chance) = (Arc::clone(&self.inner), self.policy, self.jitter.clone());
        Box::pin(stream! {
            for tried in 1.. {
                let attempt = call.attempt.saturating_add(tried - 1);
                let mut answer = inner.call(ModelCall { attempt, ..call.clone() });
                let mut started = false;
                let error = loop {
                    match answer.next().await {
                        Some(Ok(event)) => {
                            started |= is_answer_content(&event);
                            let last = matches!(event, ModelEvent::Done { .. });
                            yield Ok(event);
                            if last {
                                return;
                            }
                        }
                        Some(Err(error)) => break error,
                        None => break ModelError::Interrupted("the answer ended without a completion event".to_owned()),
                    }
                };
                // The failed stream is dropped before the delay, not after it.
                drop(answer);
                let wait = if started { None } else { policy.delay(tried, &error, chance.draw()) };
                let Some(wait) = wait else {
                    yield Err(finalize_error(error, tried));
                    return;
                };
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
                yield Ok(ModelEvent::Note(ModelNote::Retried {
                    model: inner.name().to_owned(),
                    reason: error.to_string(),
                    wait_ms,
                }));
                tokio::time::sleep(wait).await;
            }
        })
    }
}

/// Adds the requested delay and the number of attempts to the message of the final error.
fn finalize_error(error: ModelError, tried: u32) -> ModelError {
    match error {
        ModelError::Refused { status, mut message, advice } => {
            if let Some(delay) = advice.wait {
                message.push_str(&format!(" (retry after {} s)", delay.as_secs()));
            }
            if tried > 1 {
                message.push_str(&format!(" (after {tried} attempts)"));
            }
            ModelError::Refused { status, message, advice }
        }
        other => other,
    }
}
