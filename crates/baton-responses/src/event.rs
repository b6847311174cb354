//! Events of a stream.

use crate::{ContentPart, ErrorObject, OutputItem, Response, SummaryPart};
use baton_types::Json;
use serde::Serialize;

/// One event of a stream, with the number from which a client can resume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamEvent {
    /// Event type, such as `response.created`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Position in the stream, from 0, without gaps.
    pub sequence_number: u64,
    /// Payload of the event.
    #[serde(flatten)]
    pub body: StreamEventBody,
}

/// Payload of an event; its meaning depends on the event type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum StreamEventBody {
    /// The whole object: `response.created`, `.queued`, `.in_progress`, `.completed`, `.incomplete`, `.failed`.
    Response {
        /// The current response.
        response: Box<Response>,
    },
    /// An item: `response.output_item.added` and `.done`.
    Item {
        /// Index of the item in the output.
        output_index: usize,
        /// The item.
        item: OutputItem,
    },
    /// A content part: `response.content_part.added` and `.done`.
    Part {
        /// Id of the item.
        item_id: String,
        /// Index of the item in the output.
        output_index: usize,
        /// Index of the part in the item.
        content_index: usize,
        /// The part.
        part: ContentPart,
    },
    /// Text delta: `response.output_text.delta`.
    TextDelta {
        /// Id of the item.
        item_id: String,
        /// Index of the item in the output.
        output_index: usize,
        /// Index of the part in the item.
        content_index: usize,
        /// The text.
        delta: String,
        /// Always empty.
        logprobs: [Json; 0],
    },
    /// Complete text: `response.output_text.done`.
    TextDone {
        /// Id of the item.
        item_id: String,
        /// Index of the item in the output.
        output_index: usize,
        /// Index of the part in the item.
        content_index: usize,
        /// The text.
        text: String,
        /// Always empty.
        logprobs: [Json; 0],
    },
    /// Refusal delta: `response.refusal.delta`.
    RefusalDelta {
        /// Id of the item.
        item_id: String,
        /// Index of the item in the output.
        output_index: usize,
        /// Index of the part in the item.
        content_index: usize,
        /// The text.
        delta: String,
    },
    /// Complete refusal: `response.refusal.done`.
    RefusalDone {
        /// Id of the item.
        item_id: String,
        /// Index of the item in the output.
        output_index: usize,
        /// Index of the part in the item.
        content_index: usize,
        /// The text.
        refusal: String,
    },
    /// A reasoning part: `response.reasoning_summary_part.added` and `.done`.
    SummaryPart {
        /// Id of the item.
        item_id: String,
        /// Index of the item in the output.
        output_index: usize,
        /// Index of the part in the item.
        summary_index: usize,
        /// The part.
        part: SummaryPart,
    },
    /// Reasoning delta: `response.reasoning_summary_text.delta`.
    SummaryDelta {
        /// Id of the item.
        item_id: String,
        /// Index of the item in the output.
        output_index: usize,
        /// Index of the part in the item.
        summary_index: usize,
        /// The text.
        delta: String,
    },
    /// Complete reasoning: `response.reasoning_summary_text.done`.
    SummaryDone {
        /// Id of the item.
        item_id: String,
        /// Index of the item in the output.
        output_index: usize,
        /// Index of the part in the item.
        summary_index: usize,
        /// The text.
        text: String,
    },
    /// Delta of call arguments or input: `response.function_call_arguments.delta`, `.custom_tool_call_input.delta`,
    /// `.mcp_call_arguments.delta`.
    CallDelta {
        /// Id of the item.
        item_id: String,
        /// Index of the item in the output.
        output_index: usize,
        /// The text.
        delta: String,
    },
    /// The arguments of a call: `response.function_call_arguments.done`, `.mcp_call_arguments.done`.
    ArgumentsDone {
        /// Id of the item.
        item_id: String,
        /// Index of the item in the output.
        output_index: usize,
        /// The tool.
        name: String,
        /// JSON as text.
        arguments: String,
    },
    /// The input text of a custom tool call: `response.custom_tool_call_input.done`.
    InputDone {
        /// Id of the item.
        item_id: String,
        /// Index of the item in the output.
        output_index: usize,
        /// The text.
        input: String,
    },
    /// Status change of an item: `response.mcp_call.in_progress`, `.completed`, `.failed`.
    Progress {
        /// Id of the item.
        item_id: String,
        /// Index of the item in the output.
        output_index: usize,
    },
    /// `error`, in both formats that clients use.
    Error {
        /// Error code.
        code: Option<String>,
        /// The problem and its remedy.
        message: String,
        /// The invalid field of the request.
        param: Option<String>,
        /// The same data as an error object.
        error: ErrorObject,
    },
}

impl StreamEvent {
    /// An `error` event.
    pub fn error(sequence_number: u64, error: ErrorObject) -> Self {
        let body = StreamEventBody::Error {
            code: error.code.clone(),
            message: error.message.clone(),
            param: error.param.clone(),
            error,
        };
        Self { kind: "error", sequence_number, body }
    }

    /// Formats one block of server-sent events. Write it in one piece: some clients lose a block that arrives in
    /// several.
    pub fn to_sse(&self) -> String {
        format!("event: {}\ndata: {}\n\n", self.kind, self.to_frame())
    }

    /// Formats the text of a WebSocket frame.
    pub fn to_frame(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
