//! Token estimates of a model call, by the model's own counter.

use baton_ports::{ChatMessage, Model, ModelCall};

/// Tokens of the call without its messages.
pub(super) fn weigh_frame(model: &dyn Model, call: &ModelCall) -> u64 {
    call.frame_weight(&|text| model.tokens(text))
}

/// Tokens of several messages.
pub(super) fn weigh_all<'a>(model: &dyn Model, messages: impl IntoIterator<Item = &'a ChatMessage>) -> u64 {
    messages.into_iter().fold(0, |sum, message| sum.saturating_add(weigh(model, message)))
}

/// Tokens of one message.
pub(super) fn weigh(model: &dyn Model, message: &ChatMessage) -> u64 {
    message.weight(&|text| model.tokens(text))
}
