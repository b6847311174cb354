//! Compaction of conversations, and the item that replaces the omitted part.

use crate::{
    OpenAiError, ParsedInput,
    fields::{RequestFields, parse_object},
    input::{CallScope, read_input},
    parts::missing_param,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use baton_types::Message;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A request to compact a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactRequest {
    /// The model as named by the client.
    pub model: String,
    /// The conversation, including its last message.
    pub input: ParsedInput,
    /// The last response of the conversation.
    pub previous: Option<String>,
    /// Instructions for the model.
    pub instructions: Option<String>,
}

impl CompactRequest {
    /// Parses a request.
    pub fn parse(body: &[u8], fresh: &mut dyn FnMut() -> String) -> Result<Self, OpenAiError> {
        let members = parse_object(body)?;
        let fields = RequestFields::new(&members, "");
        let model = fields.text("model")?.ok_or_else(|| missing_param("model"))?.to_owned();
        let previous = fields.text("previous_response_id")?.map(str::to_owned);
        if previous.is_none() && fields.get("input").is_none() {
            return Err(missing_param("input"));
        }
        let reach = if previous.is_some() { CallScope::Conversation } else { CallScope::Input };
        let (input, _) = read_input(fields.get("input"), reach, false, fresh)?;
        Ok(Self { model, input, previous, instructions: fields.text("instructions")?.map(str::to_owned) })
    }
}

/// Error for content that was not created by a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it was not created by a compaction of this server")]
pub struct CompactionError;

#[derive(Serialize, Deserialize)]
struct SealedCompaction<'a> {
    /// Format version; identifies the content as Baton's own.
    baton: u32,
    messages: Cow<'a, [Message]>,
}

/// Encodes the messages as the `encrypted_content` of a compaction item; nothing is encrypted.
pub fn seal_compaction(messages: &[Message]) -> String {
    let sealed = SealedCompaction { baton: 1, messages: Cow::Borrowed(messages) };
    STANDARD.encode(serde_json::to_vec(&sealed).unwrap_or_default())
}

/// Decodes the output of [`seal_compaction`].
pub fn open_compaction(content: &str) -> Result<Vec<Message>, CompactionError> {
    let bytes = STANDARD.decode(content).map_err(|_| CompactionError)?;
    let sealed: SealedCompaction<'_> = serde_json::from_slice(&bytes).map_err(|_| CompactionError)?;
    if sealed.baton == 1 { Ok(sealed.messages.into_owned()) } else { Err(CompactionError) }
}
