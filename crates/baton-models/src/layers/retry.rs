//! Another try, as long as nothing of the answer was heard.

use super::{as_inner, is_heard, is_passing};
use async_stream::stream;
use baton_ports::{Model, ModelCall, ModelError, ModelEvent, ModelStream, RetryAdvice};
use baton_types::ModelNote;
use futures_util::StreamExt;
use std::{fmt, sync::Arc, time::Duration};

/// How often, and how long between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Tries in all, at least one.
    pub tries: u32,
    /// The longest first wait; each further one may be twice as long.
    pub base: Duration,
    /// The longest wait of all.
    pub cap: Duration,
    /// The longest time that a service may ask to be left alone; when it asks for more, there is no other try.
    pub patience: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            tries: 4,
            base: Duration::from_millis(500),
            cap: Duration::from_secs(8),
            patience: Duration::from_secs(60),
        }
    }
}

impl RetryPolicy {
    /// How long to wait after this try, counted from 1; none when it was the last.
    ///
    /// The wait is anything up to its ceiling, so that callers who failed together do not come back together.
    pub fn wait(&self, tried: u32, error: &ModelError, chance: f64) -> Option<Duration> {
        if tried >= self.tries || !is_passing(error) {
            return None;
        }
        let doubled = self.base.saturating_mul(1_u32.checked_shl(tried.saturating_sub(1)).unwrap_or(u32::MAX));
        let jittered = doubled.min(self.cap).mul_f64(chance.clamp(0.0, 1.0));
        match error {
            ModelError::Refused { retry_after: Some(asked), .. } => {
                (*asked <= self.patience).then(|| jittered.max(*asked))
            }
            _ => Some(jittered),
        }
    }
}

/// A number from 0 to 1, another one each time.
#[derive(Clone)]
pub struct Chance(Arc<dyn Fn() -> f64 + Send + Sync>);

impl Chance {
    /// From a source of one's own; for tests.
    pub fn from_fn(source: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(source))
    }

    fn draw(&self) -> f64 {
        (self.0)()
    }
}

impl Default for Chance {
    /// From the system; the middle when it has none to give.
    fn default() -> Self {
        Self::from_fn(|| getrandom::u32().map_or(0.5, |number| f64::from(number) / f64::from(u32::MAX)))
    }
}

impl fmt::Debug for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Chance")
    }
}

/// A model that is asked again when its service was busy or out of reach.
///
/// An error that leaves it has no `retry_after`: whoever is outside need not try once more. Its advice keeps the wait.
pub struct Retry {
    inner: Arc<dyn Model>,
    policy: RetryPolicy,
    chance: Chance,
}

impl Retry {
    /// Around a model.
    pub fn new(inner: Arc<dyn Model>, policy: RetryPolicy, chance: Chance) -> Self {
        Self { inner, policy, chance }
    }
}

impl Model for Retry {
    as_inner!(inner);

    fn call(&self, call: ModelCall) -> ModelStream {
        let (inner, policy, chance) = (Arc::clone(&self.inner), self.policy, self.chance.clone());
        Box::pin(stream! {
            for tried in 1.. {
                let mut answer = inner.call(call.clone());
                let mut heard = false;
                let error = loop {
                    match answer.next().await {
                        Some(Ok(event)) => {
                            heard |= is_heard(&event);
                            let last = matches!(event, ModelEvent::Done { .. });
                            yield Ok(event);
                            if last {
                                return;
                            }
                        }
                        Some(Err(error)) => break error,
                        None => break ModelError::Interrupted("no end of the answer was seen".to_owned()),
                    }
                };
                // What is left of the failed try is stopped before the wait, not after it.
                drop(answer);
                let wait = if heard { None } else { policy.wait(tried, &error, chance.draw()) };
                let Some(wait) = wait else {
                    yield Err(settled(error, tried));
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

/// The error without an offer to try again, which was taken or cannot be.
fn settled(error: ModelError, tried: u32) -> ModelError {
    match error {
        ModelError::Refused { status, mut message, retry_after, advice } => {
            if let Some(asked) = retry_after {
                message.push_str(&format!(" (retry after {} s)", asked.as_secs()));
            }
            if tried > 1 {
                message.push_str(&format!(" (after {tried} tries)"));
            }
            let advice = RetryAdvice { wait: retry_after.or(advice.wait), ..advice };
            ModelError::Refused { status, message, retry_after: None, advice }
        }
        other => other,
    }
}
