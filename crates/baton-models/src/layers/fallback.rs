//! Fallback to the next model when a model fails before its answer begins.

use super::{is_answer_content, is_transient};
use async_stream::stream;
use baton_ports::{MicroDollars, Model, ModelCall, ModelError, ModelEvent, ModelInfo, ModelStream};
use baton_types::{ModelNote, Usage};
use futures_util::StreamExt;
use std::sync::Arc;

/// A chain of models that are called in order.
///
/// The next model is called when the previous one failed before any part of its answer was delivered and another model
/// may succeed: the service was busy, unreachable or out of quota, or the context window was too small and the next one
/// is larger. An invalid request, an unknown model and a rejected key are configuration errors and end the call.
pub struct FallbackModel {
    first: Arc<dyn Model>,
    others: Arc<[Arc<dyn Model>]>,
}

impl FallbackModel {
    /// Creates a chain; `first` is the configured model.
    pub fn new(first: Arc<dyn Model>, others: Vec<Arc<dyn Model>>) -> Self {
        Self { first, others: others.into() }
    }
}

/// Whether the next model may succeed after this error.
fn may_succeed(error: &ModelError, failed: &dyn Model, next: &dyn Model) -> bool {
    match error {
        ModelError::TooLong(_) => match (failed.model_info().window, next.model_info().window) {
            (Some(failed), Some(next)) => next > failed,
            _ => false,
        },
        ModelError::Refused { status, advice, .. } if *status == 402 || advice.quota_exhausted => true,
        error => is_transient(error),
    }
}

impl Model for FallbackModel {
    fn name(&self) -> &str {
        self.first.name()
    }

    fn model_info(&self) -> ModelInfo {
        self.first.model_info()
    }

    fn tokens(&self, text: &str) -> u64 {
        self.first.tokens(text)
    }

    fn price(&self, usage: Usage) -> Option<MicroDollars> {
        self.first.price(usage)
    }

    fn price_for(&self, by: &str, usage: Usage) -> Option<MicroDollars> {
        let mut all = std::iter::once(&self.first).chain(&*self.others);
        all.find(|model| model.name() == by).and_then(|model| model.price(usage))
    }

    fn call(&self, call: ModelCall) -> ModelStream {
        let (first, others) = (Arc::clone(&self.first), Arc::clone(&self.others));
        Box::pin(stream! {
            let mut current = Arc::clone(&first);
            let mut left = others.iter();
            loop {
                let mut answer = current.call(call.clone());
                let mut started = false;
                let error = loop {
                    match answer.next().await {
                        Some(Ok(ModelEvent::Done { usage, finish, answered_by })) => {
                            let fallback_name = (current.name() != first.name()).then(|| current.name().to_owned());
                            yield Ok(ModelEvent::Done { usage, finish, answered_by: answered_by.or(fallback_name) });
                            return;
                        }
                        Some(Ok(event)) => {
                            started |= is_answer_content(&event);
                            yield Ok(event);
                        }
                        Some(Err(error)) => break error,
                        None => break ModelError::Interrupted("the answer ended without a completion event".to_owned()),
                    }
                };
                drop(answer);
                let next = left.by_ref().find(|next| may_succeed(&error, &*current, &***next));
                let Some(next) = next.filter(|_| !started) else {
                    yield Err(error);
                    return;
                };
                yield Ok(ModelEvent::Note(ModelNote::FellBack {
                    from: current.name().to_owned(),
                    to: next.name().to_owned(),
                    reason: error.to_string(),
                }));
                current = Arc::clone(next);
            }
        })
    }
}
