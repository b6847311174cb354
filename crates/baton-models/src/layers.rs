//! Layers around a model; each layer is itself a model.

mod deadline;
mod fallback;
mod gate;
mod metered_model;
mod retry;
mod stack;
mod timeout;

pub use deadline::DeadlineModel;
pub use fallback::FallbackModel;
pub use gate::{GateLimits, GatedModel, ProviderGate};
pub use metered_model::MeteredModel;
pub use retry::{JitterSource, RetryCondition, RetryModel, RetryPolicy};
pub use stack::{ModelLayers, chain};
pub use timeout::{StreamTimeouts, TimeoutModel};

use baton_ports::{ModelError, ModelEvent};

/// Whether the event delivers a part of the answer to the caller; after that, the call must not be retried.
fn is_answer_content(event: &ModelEvent) -> bool {
    match event {
        ModelEvent::Text(text) | ModelEvent::Reasoning(text) => !text.is_empty(),
        ModelEvent::ReasoningComplete(_) | ModelEvent::ToolCall(_) => true,
        ModelEvent::Note(_) | ModelEvent::Done { .. } => false,
    }
}

/// Whether the error is transient: the service was busy or unreachable.
fn is_transient(error: &ModelError) -> bool {
    match error {
        ModelError::Refused { advice, .. } if advice.quota_exhausted => false,
        ModelError::Refused { status, .. } => matches!(status, 408 | 409 | 429 | 500..=599),
        ModelError::Unreachable(_) | ModelError::TimedOut(_) | ModelError::Interrupted(_) => true,
        ModelError::TooLong(_) | ModelError::Configuration(_) => false,
    }
}

/// Forwards every method except `call` to the inner model.
macro_rules! as_inner {
    ($inner:ident) => {
        fn name(&self) -> &str {
            self.$inner.name()
        }

        fn model_info(&self) -> baton_ports::ModelInfo {
            self.$inner.model_info()
        }

        fn tokens(&self, text: &str) -> u64 {
            self.$inner.tokens(text)
        }

        fn price(&self, usage: baton_types::Usage) -> Option<baton_ports::MicroDollars> {
            self.$inner.price(usage)
        }

        fn price_for(&self, by: &str, usage: baton_types::Usage) -> Option<baton_ports::MicroDollars> {
            self.$inner.price_for(by, usage)
        }
    };
}
pub(crate) use as_inner;
