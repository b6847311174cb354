//! About how many tokens a call is, as its model counts.

use baton_ports::{ChatMessage, Model, ModelCall};

/// Everything but the messages.
pub(super) fn weigh_frame(model: &dyn Model, call: &ModelCall) -> u64 {
    call.frame_weight(&|text| model.tokens(text))
}

/// Messages together.
pub(super) fn weigh_all<'a>(model: &dyn Model, messages: impl IntoIterator<Item = &'a ChatMessage>) -> u64 {
    messages.into_iter().fold(0, |sum, message| sum.saturating_add(weigh(model, message)))
}

/// One message.
pub(super) fn weigh(model: &dyn Model, message: &ChatMessage) -> u64 {
    message.weight(&|text| model.tokens(text))
}
