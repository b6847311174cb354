//! Streams of chat completions.

use super::{
    CompletionUsage,
    completion::{approval_question, client_tool_call, completion_id, finish_reason},
};
use crate::{ErrorObject, OutputItem, Response, StreamEvent, StreamEventBody};
use serde::Serialize;
use serde_json::{Value, json};

/// One line of a stream: a chunk, or the final error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum CompletionChunk {
    /// A part of the answer.
    More {
        /// `chatcmpl-` and the id of the response.
        id: String,
        /// Always `chat.completion.chunk`.
        object: &'static str,
        /// Creation time in seconds.
        created: i64,
        /// The model as named by the client.
        model: String,
        /// One choice, or none in the chunk with the usage.
        choices: Vec<Value>,
        /// Token usage.
        #[serde(skip_serializing_if = "Option::is_none")]
        usage: Option<CompletionUsage>,
    },
    /// The final error.
    Error {
        /// The error object, as in error envelopes.
        error: ErrorObject,
    },
}

impl CompletionChunk {
    /// Formats one block of server-sent events.
    pub fn to_sse(&self) -> String {
        format!("data: {}\n\n", serde_json::to_string(self).unwrap_or_default())
    }
}

/// Converts the stream of a response into chunks; the caller writes `[DONE]`.
#[derive(Clone, Debug)]
pub struct ChunkEncoder {
    id: String,
    created: i64,
    model: String,
    include_usage: bool,
    has_begun: bool,
    /// Number of emitted calls.
    calls: usize,
    /// Output index of the item whose text was emitted last.
    writing: Option<usize>,
    /// Whether reasoning was emitted.
    has_reasoned: bool,
}

impl ChunkEncoder {
    /// An encoder for the stream of this response.
    pub fn new(response: &Response, include_usage: bool) -> Self {
        Self {
            id: completion_id(response),
            created: response.created_at,
            model: response.model.clone(),
            include_usage,
            has_begun: false,
            calls: 0,
            writing: None,
            has_reasoned: false,
        }
    }

    /// The chunks for an event.
    pub fn event(&mut self, event: &StreamEvent) -> Vec<CompletionChunk> {
        let mut out = Vec::new();
        if !self.has_begun {
            self.has_begun = true;
            out.push(self.delta(&json!({"role": "assistant", "content": ""})));
        }
        match &event.body {
            StreamEventBody::TextDelta { output_index, delta, .. } if !delta.is_empty() => {
                let text = self.with_separator(*output_index, delta);
                out.push(self.delta(&json!({ "content": text })));
            }
            StreamEventBody::SummaryDelta { delta, .. } if !delta.is_empty() => {
                let text = if self.has_reasoned { format!("\n\n{delta}") } else { delta.clone() };
                self.has_reasoned = true;
                out.push(self.delta(&json!({ "reasoning_content": text })));
            }
            StreamEventBody::RefusalDelta { delta, .. } => out.push(self.delta(&json!({ "refusal": delta }))),
            StreamEventBody::Item { output_index, item } if event.kind == "response.output_item.done" => {
                out.extend(self.item(*output_index, item));
            }
            StreamEventBody::Response { response } if is_end(event.kind) => {
                if response.error.is_none() {
                    let choice =
                        json!({"index": 0, "delta": {}, "logprobs": null, "finish_reason": finish_reason(response)});
                    out.push(self.chunk(vec![choice], None));
                }
                if self.include_usage {
                    out.push(self.chunk(Vec::new(), Some(response.usage.unwrap_or_default().into())));
                }
            }
            StreamEventBody::Error { error, .. } => out.push(CompletionChunk::Error { error: error.clone() }),
            _ => {}
        }
        out
    }

    fn item(&mut self, output_index: usize, item: &OutputItem) -> Option<CompletionChunk> {
        if let Some(question) = approval_question(item) {
            let text = self.with_separator(output_index, &question);
            return Some(self.delta(&json!({ "content": text })));
        }
        let call = client_tool_call(item)?;
        let index = self.calls;
        self.calls += 1;
        let call = json!({"index": index, "id": call.id, "type": call.kind, "function": call.function});
        Some(self.delta(&json!({ "tool_calls": [call] })))
    }

    /// The text, separated from that of another item as in a complete answer.
    fn with_separator(&mut self, output_index: usize, text: &str) -> String {
        let before = self.writing.replace(output_index);
        let is_other = before.is_some_and(|before| before != output_index);
        if is_other { format!("\n\n{text}") } else { text.to_owned() }
    }

    fn delta(&self, delta: &Value) -> CompletionChunk {
        self.chunk(vec![json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": null})], None)
    }

    fn chunk(&self, choices: Vec<Value>, usage: Option<CompletionUsage>) -> CompletionChunk {
        CompletionChunk::More {
            id: self.id.clone(),
            object: "chat.completion.chunk",
            created: self.created,
            model: self.model.clone(),
            choices,
            usage,
        }
    }
}

fn is_end(kind: &str) -> bool {
    matches!(kind, "response.completed" | "response.incomplete" | "response.failed")
}
