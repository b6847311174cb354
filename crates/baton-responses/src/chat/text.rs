//! Legacy completions: a prompt instead of messages, text instead of a message.

use super::{
    ChunkEncoder, Completion, CompletionChunk, CompletionUsage, CreateChatCompletion,
    unsupported::{UNSUPPORTED_IN_TEXT, reject_unsupported},
};
use crate::{
    OpenAiError, Response, StreamEvent,
    fields::{RequestFields, parse_object},
    parts::missing_param,
};
use serde::Serialize;
use serde_json::{Value, json};

/// Object name of this dialect.
const OBJECT: &str = "text_completion";

/// A text completion, or one chunk of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TextCompletion {
    /// `cmpl-` and the id of the response.
    pub id: String,
    /// Always `text_completion`.
    pub object: &'static str,
    /// Creation time in seconds.
    pub created: i64,
    /// The model as named by the client.
    pub model: String,
    /// One choice, or none in the chunk with the usage.
    pub choices: Vec<Value>,
    /// Token usage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<CompletionUsage>,
}

impl CreateChatCompletion {
    /// Parses a request with a prompt.
    pub fn read_prompt(body: &[u8], fresh: &mut dyn FnMut() -> String) -> Result<Self, OpenAiError> {
        let mut members = parse_object(body)?;
        let fields = RequestFields::new(&members, "");
        reject_unsupported(fields, &UNSUPPORTED_IN_TEXT)?;
        let prompt = prompt(fields)?;
        members.remove("prompt");
        members.insert("messages".to_owned(), json!([{"role": "user", "content": prompt}]));
        Self::from_members(&members, fresh).map_err(with_prompt_param)
    }
}

/// The prompt: a string, or a list with one string.
fn prompt(fields: RequestFields<'_>) -> Result<String, OpenAiError> {
    let detail = "'prompt' must be a string or a list of one string; send several prompts as several requests.";
    match fields.get("prompt") {
        None => Err(missing_param("prompt")),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(list)) => match list.as_slice() {
            [Value::String(text)] => Ok(text.clone()),
            _ => Err(OpenAiError::invalid("invalid_value", "prompt", detail)),
        },
        Some(_) => Err(OpenAiError::invalid("invalid_type", "prompt", detail)),
    }
}

fn with_prompt_param(refusal: OpenAiError) -> OpenAiError {
    match refusal.param.as_deref() {
        Some(param) if param.starts_with("messages") => OpenAiError {
            message: refusal.message.replace(param, "prompt"),
            param: Some("prompt".to_owned()),
            ..refusal
        },
        _ => refusal,
    }
}

impl TextCompletion {
    /// Converts a finished response; a failed one becomes an error.
    pub fn from_response(response: &Response) -> Result<Self, OpenAiError> {
        let Completion { id, created, model, choices, usage, .. } = Completion::from_response(response)?;
        let choices = choices.into_iter().map(|choice| {
            let text = choice.message.content.or(choice.message.refusal).unwrap_or_default();
            json!({"index": 0, "text": text, "logprobs": null, "finish_reason": choice.finish_reason})
        });
        Ok(Self { id: text_id(&id), object: OBJECT, created, model, choices: choices.collect(), usage: Some(usage) })
    }
}

fn text_id(id: &str) -> String {
    format!("cmpl-{}", id.strip_prefix("chatcmpl-").unwrap_or(id))
}

/// Converts the stream of a response into text chunks.
#[derive(Clone, Debug)]
pub struct TextChunkEncoder(ChunkEncoder);

impl TextChunkEncoder {
    /// An encoder for the stream of this response.
    pub fn new(response: &Response, include_usage: bool) -> Self {
        Self(ChunkEncoder::new(response, include_usage))
    }

    /// The chunks for an event, each formatted as one block of server-sent events.
    pub fn event(&mut self, event: &StreamEvent) -> Vec<String> {
        self.0.event(event).into_iter().filter_map(as_text).collect()
    }
}

/// Converts a chunk to text; `None` if it contains no part of the answer text.
fn as_text(chunk: CompletionChunk) -> Option<String> {
    let CompletionChunk::More { id, created, model, choices, usage, .. } = chunk else { return Some(chunk.to_sse()) };
    let choice = match choices.first() {
        None => None,
        Some(choice) => {
            let delta = &choice["delta"];
            let text = delta["content"].as_str().or(delta["refusal"].as_str()).unwrap_or_default();
            if text.is_empty() && choice["finish_reason"].is_null() {
                return None;
            }
            Some(json!({"index": 0, "text": text, "logprobs": null, "finish_reason": choice["finish_reason"]}))
        }
    };
    let choices = choice.into_iter().collect();
    let piece = TextCompletion { id: text_id(&id), object: OBJECT, created, model, choices, usage };
    Some(format!("data: {}\n\n", serde_json::to_string(&piece).unwrap_or_default()))
}
