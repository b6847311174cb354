//! Making a conversation shorter, and what stands for the part that was left out.

use crate::{
    Input, Refusal,
    fields::{Fields, object},
    input::{Reach, read_input},
    parts::missing,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use baton_types::Message;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A request to make a conversation shorter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compact {
    /// Who is asked.
    pub model: String,
    /// What was said; its last message is part of it.
    pub input: Input,
    /// The response that the conversation has come to.
    pub previous: Option<String>,
    /// Words that the model is given.
    pub instructions: Option<String>,
}

impl Compact {
    /// Reads a request.
    pub fn read(body: &[u8], fresh: &mut dyn FnMut() -> String) -> Result<Self, Refusal> {
        let members = object(body)?;
        let fields = Fields::new(&members, "");
        let model = fields.text("model")?.ok_or_else(|| missing("model"))?.to_owned();
        let previous = fields.text("previous_response_id")?.map(str::to_owned);
        if previous.is_none() && fields.get("input").is_none() {
            return Err(missing("input"));
        }
        let reach = if previous.is_some() { Reach::Further } else { Reach::Here };
        let (input, _) = read_input(fields.get("input"), reach, false, fresh)?;
        Ok(Self { model, input, previous, instructions: fields.text("instructions")?.map(str::to_owned) })
    }
}

/// Content that no compaction of ours made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this was not made by a compaction here")]
pub struct CompactionError;

#[derive(Serialize, Deserialize)]
struct Sealed<'a> {
    /// Says that it is ours.
    baton: u32,
    messages: Cow<'a, [Message]>,
}

/// The messages as the `encrypted_content` of a compaction item; nothing is encrypted.
pub fn seal_compaction(messages: &[Message]) -> String {
    let sealed = Sealed { baton: 1, messages: Cow::Borrowed(messages) };
    STANDARD.encode(serde_json::to_vec(&sealed).unwrap_or_default())
}

/// Reads back what [`seal_compaction`] wrote.
pub fn open_compaction(content: &str) -> Result<Vec<Message>, CompactionError> {
    let bytes = STANDARD.decode(content).map_err(|_| CompactionError)?;
    let sealed: Sealed<'_> = serde_json::from_slice(&bytes).map_err(|_| CompactionError)?;
    if sealed.baton == 1 { Ok(sealed.messages.into_owned()) } else { Err(CompactionError) }
}
