//! Time limit for a whole call.

use super::{as_inner, is_answer_content};
use async_stream::stream;
use baton_ports::{Model, ModelCall, ModelError, ModelStream};
use futures_util::StreamExt;
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, timeout_at};

/// A model whose calls end within a time limit that includes all retries, queueing and fallbacks.
pub struct DeadlineModel {
    inner: Arc<dyn Model>,
    limit: Duration,
}

impl DeadlineModel {
    /// Wraps a model.
    pub fn new(inner: Arc<dyn Model>, limit: Duration) -> Self {
        Self { inner, limit }
    }
}

impl Model for DeadlineModel {
    as_inner!(inner);

    fn call(&self, call: ModelCall) -> ModelStream {
        let (inner, limit) = (Arc::clone(&self.inner), self.limit);
        Box::pin(stream! {
            let until = Instant::now() + limit;
            let mut answer = inner.call(call);
            let mut started = false;
            loop {
                match timeout_at(until, answer.next()).await {
                    Ok(Some(event)) => {
                        started |= event.as_ref().is_ok_and(is_answer_content);
                        yield event;
                    }
                    Ok(None) => return,
                    Err(_) => {
                        let text = format!("the call took longer than {} s", limit.as_secs_f64());
                        yield Err(if started { ModelError::Interrupted(text) } else { ModelError::TimedOut(text) });
                        return;
                    }
                }
            }
        })
    }
}
