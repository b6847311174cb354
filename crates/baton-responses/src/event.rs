//! Events of a stream.

use crate::{ContentPart, ErrorObject, OutputItem, Response, SummaryPart};
use baton_types::Json;
use serde::Serialize;

/// One event of a stream, with the number that a client goes on from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamEvent {
    /// What it is called, such as `response.created`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Which of the stream, from 0, without gaps.
    pub sequence_number: u64,
    /// The rest.
    #[serde(flatten)]
    pub body: Body,
}

/// What an event carries; how it is called says what that means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Body {
    /// The whole object: `response.created`, `.queued`, `.in_progress`, `.completed`, `.incomplete`, `.failed`.
    Response {
        /// As it is at that moment.
        response: Box<Response>,
    },
    /// An item: `response.output_item.added` and `.done`.
    Item {
        /// Which of the output.
        output_index: usize,
        /// The item.
        item: OutputItem,
    },
    /// A piece of a message: `response.content_part.added` and `.done`.
    Part {
        /// The item.
        item_id: String,
        /// Which of the output.
        output_index: usize,
        /// Which of the item.
        content_index: usize,
        /// The piece.
        part: ContentPart,
    },
    /// More text of a message: `response.output_text.delta`.
    TextDelta {
        /// The item.
        item_id: String,
        /// Which of the output.
        output_index: usize,
        /// Which of the item.
        content_index: usize,
        /// The text.
        delta: String,
        /// Always empty.
        logprobs: [Json; 0],
    },
    /// All text of a message: `response.output_text.done`.
    TextDone {
        /// The item.
        item_id: String,
        /// Which of the output.
        output_index: usize,
        /// Which of the item.
        content_index: usize,
        /// The text.
        text: String,
        /// Always empty.
        logprobs: [Json; 0],
    },
    /// More of a refusal: `response.refusal.delta`.
    RefusalDelta {
        /// The item.
        item_id: String,
        /// Which of the output.
        output_index: usize,
        /// Which of the item.
        content_index: usize,
        /// The text.
        delta: String,
    },
    /// All of a refusal: `response.refusal.done`.
    RefusalDone {
        /// The item.
        item_id: String,
        /// Which of the output.
        output_index: usize,
        /// Which of the item.
        content_index: usize,
        /// The text.
        refusal: String,
    },
    /// A piece of what was thought: `response.reasoning_summary_part.added` and `.done`.
    SummaryPart {
        /// The item.
        item_id: String,
        /// Which of the output.
        output_index: usize,
        /// Which of the item.
        summary_index: usize,
        /// The piece.
        part: SummaryPart,
    },
    /// More of what was thought: `response.reasoning_summary_text.delta`.
    SummaryDelta {
        /// The item.
        item_id: String,
        /// Which of the output.
        output_index: usize,
        /// Which of the item.
        summary_index: usize,
        /// The text.
        delta: String,
    },
    /// All of what was thought: `response.reasoning_summary_text.done`.
    SummaryDone {
        /// The item.
        item_id: String,
        /// Which of the output.
        output_index: usize,
        /// Which of the item.
        summary_index: usize,
        /// The text.
        text: String,
    },
    /// More of what a call is made with: `response.function_call_arguments.delta`, `.custom_tool_call_input.delta`,
    /// `.mcp_call_arguments.delta`.
    CallDelta {
        /// The item.
        item_id: String,
        /// Which of the output.
        output_index: usize,
        /// The text.
        delta: String,
    },
    /// The arguments of a call: `response.function_call_arguments.done`, `.mcp_call_arguments.done`.
    ArgumentsDone {
        /// The item.
        item_id: String,
        /// Which of the output.
        output_index: usize,
        /// The tool.
        name: String,
        /// JSON as text.
        arguments: String,
    },
    /// The text of a call: `response.custom_tool_call_input.done`.
    InputDone {
        /// The item.
        item_id: String,
        /// Which of the output.
        output_index: usize,
        /// The text.
        input: String,
    },
    /// An item moves on: `response.mcp_call.in_progress`, `.completed`, `.failed`.
    Progress {
        /// The item.
        item_id: String,
        /// Which of the output.
        output_index: usize,
    },
    /// `error`, in both forms that clients know.
    Error {
        /// What exactly.
        code: Option<String>,
        /// What happened and what to do.
        message: String,
        /// The field of the request.
        param: Option<String>,
        /// The same once more.
        error: ErrorObject,
    },
}

impl StreamEvent {
    /// The `error` event for something that went wrong.
    pub fn error(sequence_number: u64, error: ErrorObject) -> Self {
        let body =
            Body::Error { code: error.code.clone(), message: error.message.clone(), param: error.param.clone(), error };
        Self { kind: "error", sequence_number, body }
    }

    /// As one block of server-sent events, to be written at once: some readers lose one that comes in pieces.
    pub fn to_sse(&self) -> String {
        format!("event: {}\ndata: {}\n\n", self.kind, self.to_frame())
    }

    /// As the text of a WebSocket frame.
    pub fn to_frame(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
