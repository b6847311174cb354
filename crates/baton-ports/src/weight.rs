//! About how many tokens a model reads, as whoever counts its words counts them.

use crate::{ChatFile, ChatFileContent, ChatMessage, ModelCall};

/// What a message is worth beside its words.
const PER_MESSAGE: u64 = 4;
/// What a tool is worth beside its words and its schema.
const PER_TOOL: u64 = 8;
/// A picture of the largest size that services do not shrink, at the most expensive of them.
const PER_IMAGE: u64 = 1_600;
/// The least that a document is.
const PER_DOCUMENT: u64 = 1_500;
/// A file behind an address, whose size nobody knows.
const PER_ADDRESS: u64 = 3_000;

/// Counts the tokens of a text.
pub type Counting<'a> = &'a dyn Fn(&str) -> u64;

impl ModelCall {
    /// Everything that the model reads.
    pub fn weight(&self, count: Counting<'_>) -> u64 {
        let messages = self.messages.iter().map(|message| message.weight(count));
        messages.fold(self.frame_weight(count), u64::saturating_add)
    }

    /// Everything but the messages.
    pub fn frame_weight(&self, count: Counting<'_>) -> u64 {
        let tools = self.tools.iter().map(|tool| {
            let words = count(&tool.name).saturating_add(count(&tool.description));
            PER_TOOL.saturating_add(words).saturating_add(count(tool.parameters.as_str()))
        });
        tools.fold(count(&self.system), u64::saturating_add)
    }
}

impl ChatMessage {
    /// One message with all that it carries.
    pub fn weight(&self, count: Counting<'_>) -> u64 {
        let words = match self {
            Self::User { text, files, .. } => files.iter().map(file).fold(count(text), u64::saturating_add),
            Self::Assistant { text, calls, reasoning } => {
                let calls = calls.iter().map(|call| {
                    PER_MESSAGE.saturating_add(count(&call.name)).saturating_add(count(call.arguments.as_str()))
                });
                // A service is given either the words of a thought or the sealed form of it.
                let thought = reasoning.as_ref().map_or(0, |reasoning| {
                    let sealed = reasoning.replay.as_ref().map_or(0, |replay| count(replay.as_str()));
                    count(&reasoning.text).max(sealed)
                });
                calls.fold(count(text).saturating_add(thought), u64::saturating_add)
            }
            Self::Tool { name, output, .. } => count(name).saturating_add(count(output.as_str())),
        };
        words.saturating_add(PER_MESSAGE)
    }
}

fn file(file: &ChatFile) -> u64 {
    let kind = file.media_type.split('/').next();
    let bytes = match &file.content {
        _ if kind == Some("image") => return PER_IMAGE,
        ChatFileContent::Url(_) => return PER_ADDRESS,
        ChatFileContent::Bytes(base64) => base64.len() as u64 / 4 * 3,
    };
    match kind {
        Some("text") => bytes.div_ceil(4),
        // About 32 tokens for a second of sound in a common compression.
        Some("audio" | "video") => (bytes / 500).max(32),
        _ => (bytes / 32).max(PER_DOCUMENT),
    }
}
