//! Streams of chat completions.

use super::{
    CompletionUsage,
    completion::{call_of, completion_id, finish_reason, question},
};
use crate::{Body, ErrorObject, OutputItem, Response, StreamEvent};
use serde::Serialize;
use serde_json::{Value, json};

/// One line of a stream: a chunk, or the final error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Chunk {
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

impl Chunk {
    /// Formats one block of server-sent events.
    pub fn to_sse(&self) -> String {
        format!("data: {}\n\n", serde_json::to_string(self).unwrap_or_default())
    }
}

/// Converts the stream of a response into chunks; the caller writes `[DONE_EVENT]`.
#[derive(Clone, Debug)]
pub struct Chunks {
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

impl Chunks {
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
    pub fn event(&mut self, event: &StreamEvent) -> Vec<Chunk> {
        let mut out = Vec::new();
        if !self.has_begun {
            self.has_begun = true;
            out.push(self.delta(&json!({"role": "assistant", "content": ""})));
        }
        match &event.body {
            Body::TextDelta { output_index, delta, .. } if !delta.is_empty() => {
                let text = self.apart(*output_index, delta);
                out.push(self.delta(&json!({ "content": text })));
            }
            Body::SummaryDelta { delta, .. } if !delta.is_empty() => {
                let text = if self.has_reasoned { format!("\n\n{delta}") } else { delta.clone() };
                self.has_reasoned = true;
                out.push(self.delta(&json!({ "reasoning_content": text })));
            }
            Body::RefusalDelta { delta, .. } => out.push(self.delta(&json!({ "refusal": delta }))),
            Body::Item { output_index, item } if event.kind == "response.output_item.done" => {
                out.extend(self.item(*output_index, item));
            }
            Body::Response { response } if is_end(event.kind) => {
                if response.error.is_none() {
                    let choice =
                        json!({"index": 0, "delta": {}, "logprobs": null, "finish_reason": finish_reason(response)});
                    out.push(self.more(vec![choice], None));
                }
                if self.include_usage {
                    out.push(self.more(Vec::new(), Some(response.usage.unwrap_or_default().into())));
                }
            }
            Body::Error { error, .. } => out.push(Chunk::Error { error: error.clone() }),
            _ => {}
        }
        out
    }

    fn item(&mut self, output_index: usize, item: &OutputItem) -> Option<Chunk> {
        if let Some(words) = question(item) {
            let text = self.apart(output_index, &words);
            return Some(self.delta(&json!({ "content": text })));
        }
        let call = call_of(item)?;
        let index = self.calls;
        self.calls += 1;
        let call = json!({"index": index, "id": call.id, "type": call.kind, "function": call.function});
        Some(self.delta(&json!({ "tool_calls": [call] })))
    }

    /// The text, separated from that of another item as in a complete answer.
    fn apart(&mut self, output_index: usize, text: &str) -> String {
        let before = self.writing.replace(output_index);
        let is_other = before.is_some_and(|before| before != output_index);
        if is_other { format!("\n\n{text}") } else { text.to_owned() }
    }

    fn delta(&self, delta: &Value) -> Chunk {
        self.more(vec![json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": null})], None)
    }

    fn more(&self, choices: Vec<Value>, usage: Option<CompletionUsage>) -> Chunk {
        Chunk::More {
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
