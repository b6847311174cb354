//! About how many tokens a call is, as its model counts.

use baton_ports::{ChatFile, ChatFileContent, ChatMessage, Model, ModelCall};

/// What a message is worth beside its words.
const PER_MESSAGE: u64 = 4;
/// What a tool is worth beside its words and its schema.
const PER_TOOL: u64 = 8;
/// A picture of the largest size that services do not shrink.
const PER_IMAGE: u64 = 1_600;
/// The least that any other file is, and one behind an address, whose size nobody knows.
const PER_FILE: u64 = 1_500;

/// Everything but the messages.
pub(super) fn weigh_frame(model: &dyn Model, call: &ModelCall) -> u64 {
    let tools = call.tools.iter().map(|tool| {
        let words = model.tokens(&tool.name) + model.tokens(&tool.description);
        PER_TOOL + words + model.tokens(tool.parameters.as_str())
    });
    tools.fold(model.tokens(&call.system), u64::saturating_add)
}

/// Messages together.
pub(super) fn weigh_all<'a>(model: &dyn Model, messages: impl IntoIterator<Item = &'a ChatMessage>) -> u64 {
    messages.into_iter().fold(0, |sum, message| sum.saturating_add(weigh(model, message)))
}

/// One message.
pub(super) fn weigh(model: &dyn Model, message: &ChatMessage) -> u64 {
    let words = match message {
        ChatMessage::User { text, files, .. } => {
            files.iter().fold(model.tokens(text), |sum, file| sum.saturating_add(weigh_file(file)))
        }
        ChatMessage::Assistant { text, calls, reasoning } => {
            let calls =
                calls.iter().map(|call| PER_MESSAGE + model.tokens(&call.name) + model.tokens(call.arguments.as_str()));
            let thought = reasoning.as_ref().map_or(0, |reasoning| {
                let sealed = reasoning.replay.as_ref().map_or(0, |replay| model.tokens(replay.as_str()));
                model.tokens(&reasoning.text).max(sealed)
            });
            model.tokens(text) + calls.sum::<u64>() + thought
        }
        ChatMessage::Tool { name, output, .. } => model.tokens(name) + model.tokens(output.as_str()),
    };
    words.saturating_add(PER_MESSAGE)
}

fn weigh_file(file: &ChatFile) -> u64 {
    let is_image = file.media_type.starts_with("image/");
    match &file.content {
        _ if is_image => PER_IMAGE,
        ChatFileContent::Url(_) => PER_FILE,
        ChatFileContent::Bytes(base64) if file.media_type.starts_with("text/") => base64.len() as u64 / 5,
        ChatFileContent::Bytes(base64) => (base64.len() as u64 / 40).max(PER_FILE),
    }
}
