//! Timeouts between pieces of an answer.

use super::{as_inner, is_answer_content};
use async_stream::stream;
use baton_ports::{Model, ModelCall, ModelError, ModelStream};
use futures_util::StreamExt;
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, timeout_at};

/// How long a provider may send nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamTimeouts {
    /// Until the first piece of the answer. Long, because some models do not stream their reasoning.
    pub first_byte: Duration,
    /// Between two pieces of the answer.
    pub idle: Duration,
}

impl Default for StreamTimeouts {
    fn default() -> Self {
        Self { first_byte: Duration::from_secs(120), idle: Duration::from_secs(60) }
    }
}

/// A model whose calls fail when no data arrives within the timeouts.
pub struct TimeoutModel {
    inner: Arc<dyn Model>,
    limits: StreamTimeouts,
}

impl TimeoutModel {
    /// Wraps a model.
    pub fn new(inner: Arc<dyn Model>, limits: StreamTimeouts) -> Self {
        Self { inner, limits }
    }
}

impl Model for TimeoutModel {
    as_inner!(inner);

    fn call(&self, call: ModelCall) -> ModelStream {
        let (inner, limits) = (Arc::clone(&self.inner), self.limits);
        Box::pin(stream! {
            let mut answer = inner.call(call);
            let mut until = Instant::now() + limits.first_byte;
            let mut started = false;
            loop {
                match timeout_at(until, answer.next()).await {
                    Ok(Some(event)) => {
                        if let Ok(event) = &event {
                            started |= is_answer_content(event);
                        }
                        yield event;
                        // A slow consumer must not count as a silent provider: the timeout starts after the event is
                        // consumed.
                        if started {
                            until = Instant::now() + limits.idle;
                        }
                    }
                    Ok(None) => return,
                    Err(_) if started => {
                        let text = format!("no data received for {} s", limits.idle.as_secs_f64());
                        yield Err(ModelError::Interrupted(text));
                        return;
                    }
                    Err(_) => {
                        let text = format!("no answer started within {} s", limits.first_byte.as_secs_f64());
                        yield Err(ModelError::TimedOut(text));
                        return;
                    }
                }
            }
        })
    }
}
