//! Token estimates for model input.

use crate::{ChatFile, ChatFileContent, ChatMessage, ModelCall};

/// Overhead of a message beyond its text.
const PER_MESSAGE: u64 = 4;
/// Overhead of a tool beyond its texts and its schema.
const PER_TOOL: u64 = 8;
/// An image of the largest size that providers do not scale down, at the most expensive provider.
const PER_IMAGE: u64 = 1_600;
/// Minimum for a document.
const PER_DOCUMENT: u64 = 1_500;
/// A file behind an address, whose size is unknown.
const PER_ADDRESS: u64 = 3_000;

/// Counts the tokens of a text.
pub type TokenCounter<'a> = &'a dyn Fn(&str) -> u64;

impl ModelCall {
    /// Estimate for the complete input.
    pub fn estimate_tokens(&self, count: TokenCounter<'_>) -> u64 {
        let messages = self.messages.iter().map(|message| message.estimate_tokens(count));
        messages.fold(self.estimate_frame_tokens(count), u64::saturating_add)
    }

    /// Estimate for the input without the messages.
    pub fn estimate_frame_tokens(&self, count: TokenCounter<'_>) -> u64 {
        let tools = self.tools.iter().map(|tool| {
            let text = count(&tool.name).saturating_add(count(&tool.description));
            PER_TOOL.saturating_add(text).saturating_add(count(tool.parameters.as_str()))
        });
        tools.fold(count(&self.system), u64::saturating_add)
    }
}

impl ChatMessage {
    /// Estimate for one message with its attachments and calls.
    pub fn estimate_tokens(&self, count: TokenCounter<'_>) -> u64 {
        let content = match self {
            Self::User { text, files, .. } => {
                files.iter().map(estimate_file_tokens).fold(count(text), u64::saturating_add)
            }
            Self::Assistant { text, calls, reasoning } => {
                let calls = calls.iter().map(|call| {
                    PER_MESSAGE.saturating_add(count(&call.name)).saturating_add(count(call.arguments.as_str()))
                });
                // A provider receives either the text of the reasoning or its encrypted form.
                let thought = reasoning.as_ref().map_or(0, |reasoning| {
                    let sealed = reasoning.replay.as_ref().map_or(0, |replay| count(replay.as_str()));
                    count(&reasoning.text).max(sealed)
                });
                calls.fold(count(text).saturating_add(thought), u64::saturating_add)
            }
            Self::Tool { name, output, .. } => count(name).saturating_add(count(output.as_str())),
        };
        content.saturating_add(PER_MESSAGE)
    }
}

fn estimate_file_tokens(file: &ChatFile) -> u64 {
    let kind = file.media_type.split('/').next();
    let bytes = match &file.content {
        _ if kind == Some("image") => return PER_IMAGE,
        ChatFileContent::Url(_) => return PER_ADDRESS,
        ChatFileContent::Bytes(base64) => base64.len() as u64 / 4 * 3,
    };
    match kind {
        Some("text") => bytes.div_ceil(4),
        // About 32 tokens per second of audio in a common compression.
        Some("audio" | "video") => (bytes / 500).max(32),
        _ => (bytes / 32).max(PER_DOCUMENT),
    }
}
