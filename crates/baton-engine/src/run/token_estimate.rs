//! Token estimates of a model call, by the model's own counter.

use baton_ports::{ChatMessage, Model, ModelCall};

/// Tokens of the call without its messages.
pub(super) fn frame_tokens(model: &dyn Model, call: &ModelCall) -> u64 {
    call.estimate_frame_tokens(&|text| model.tokens(text))
}

/// Tokens of several messages.
pub(super) fn messages_tokens<'a>(model: &dyn Model, messages: impl IntoIterator<Item = &'a ChatMessage>) -> u64 {
    messages.into_iter().fold(0, |sum, message| sum.saturating_add(message_tokens(model, message)))
}

/// Tokens of one message.
pub(super) fn message_tokens(model: &dyn Model, message: &ChatMessage) -> u64 {
    message.estimate_tokens(&|text| model.tokens(text))
}
