//! Timeouts between pieces of an answer.

use super::{as_inner, is_heard};
use async_stream::stream;
use baton_ports::{Model, ModelCall, ModelError, ModelStream};
use futures_util::StreamExt;
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, timeout_at};

/// How long a provider may send nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Until the first piece of the answer. Long, because some models do not stream their reasoning.
    pub first: Duration,
    /// Between two pieces of the answer.
    pub between: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { first: Duration::from_secs(120), between: Duration::from_secs(60) }
    }
}

/// A model whose calls fail when no data arrives within the timeouts.
pub struct Timeout {
    inner: Arc<dyn Model>,
    limits: Timeouts,
}

impl Timeout {
    /// Wraps a model.
    pub fn new(inner: Arc<dyn Model>, limits: Timeouts) -> Self {
        Self { inner, limits }
    }
}

impl Model for Timeout {
    as_inner!(inner);

    fn call(&self, call: ModelCall) -> ModelStream {
        let (inner, limits) = (Arc::clone(&self.inner), self.limits);
        Box::pin(stream! {
            let mut answer = inner.call(call);
            let mut until = Instant::now() + limits.first;
            let mut heard = false;
            loop {
                match timeout_at(until, answer.next()).await {
                    Ok(Some(event)) => {
                        if let Ok(event) = &event {
                            heard |= is_heard(event);
                        }
                        yield event;
                        // A slow consumer must not count as a silent provider: the timeout starts after the event is
                        // consumed.
                        if heard {
                            until = Instant::now() + limits.between;
                        }
                    }
                    Ok(None) => return,
                    Err(_) if heard => {
                        let text = format!("no data received for {} s", limits.between.as_secs_f64());
                        yield Err(ModelError::Interrupted(text));
                        return;
                    }
                    Err(_) => {
                        let text = format!("no answer started within {} s", limits.first.as_secs_f64());
                        yield Err(ModelError::TimedOut(text));
                        return;
                    }
                }
            }
        })
    }
}
