//! Output items of a response.

use baton_types::Json;
use serde::Serialize;

/// Status of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemStatus {
    /// In progress.
    InProgress,
    /// Complete.
    Completed,
    /// Interrupted.
    Incomplete,
    /// Failed.
    Failed,
}

/// One output item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum OutputItem {
    /// A message of the agent.
    Message {
        /// `msg_` and the id of the message.
        id: String,
        /// Status of the item.
        status: ItemStatus,
        /// Always `assistant`.
        role: &'static str,
        /// The content parts.
        content: Vec<ContentPart>,
        /// `commentary` before tool calls, `final_answer` for the answer; unknown while the text is streamed.
        #[serde(skip_serializing_if = "Option::is_none")]
        phase: Option<&'static str>,
    },
    /// Reasoning of the model.
    Reasoning {
        /// `rs_` and the id of the related message.
        id: String,
        /// Status of the item.
        status: ItemStatus,
        /// Reasoning text.
        summary: Vec<SummaryPart>,
    },
    /// A call of a client function.
    FunctionCall {
        /// `fc_` and the id of the call.
        id: String,
        /// Status of the item.
        status: ItemStatus,
        /// Call id, repeated by the result.
        call_id: String,
        /// The function.
        name: String,
        /// Arguments as JSON text.
        arguments: String,
    },
    /// A call of a custom client tool, which takes text.
    CustomToolCall {
        /// `ctc_` and the id of the call.
        id: String,
        /// Status of the item.
        status: ItemStatus,
        /// Call id, repeated by the result.
        call_id: String,
        /// The tool.
        name: String,
        /// The input text.
        input: String,
    },
    /// A call that the agent ran.
    McpCall {
        /// `mcp_` and the id of the call.
        id: String,
        /// Status of the item.
        status: ItemStatus,
        /// Label of the tool's server.
        server_label: String,
        /// The tool.
        name: String,
        /// Arguments as JSON text.
        arguments: String,
        /// Output of the tool.
        output: Option<String>,
        /// Error of the tool.
        error: Option<String>,
        /// Id of the approval request for the call.
        approval_request_id: Option<String>,
    },
    /// The tools of an MCP server of the request.
    McpListTools {
        /// `mcpl_` and a unique suffix.
        id: String,
        /// Label of the server.
        server_label: String,
        /// The tools.
        tools: Vec<ListedTool>,
        /// Always null: a request with an unreachable server is refused.
        error: Option<String>,
    },
    /// An approval request for a call.
    McpApprovalRequest {
        /// `mcpr_`, the id of the task and the id of the call.
        id: String,
        /// Label of the tool's server.
        server_label: String,
        /// The tool.
        name: String,
        /// Arguments as JSON text.
        arguments: String,
    },
    /// Replacement for a part of the conversation.
    Compaction {
        /// Its id.
        id: String,
        /// Created by [`crate::seal_compaction`].
        encrypted_content: String,
    },
}

/// A tool of an MCP server of the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedTool {
    /// Name of the tool on its server.
    pub name: String,
    /// Description of the tool.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Json,
    /// Always null: annotations of a server are untrusted and not passed on.
    pub annotations: Option<Json>,
}

/// A content part of a message item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContentPart {
    /// Text.
    OutputText {
        /// The text.
        text: String,
        /// Always empty.
        annotations: Vec<Json>,
        /// Always empty.
        logprobs: Vec<Json>,
    },
    /// A refusal.
    Refusal {
        /// Text of the refusal.
        refusal: String,
    },
}

/// A part of a reasoning item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SummaryPart {
    /// Text.
    SummaryText {
        /// The text.
        text: String,
    },
}

impl OutputItem {
    /// Its id.
    pub fn id(&self) -> &str {
        match self {
            Self::Message { id, .. }
            | Self::Reasoning { id, .. }
            | Self::FunctionCall { id, .. }
            | Self::CustomToolCall { id, .. }
            | Self::McpCall { id, .. }
            | Self::McpListTools { id, .. }
            | Self::McpApprovalRequest { id, .. }
            | Self::Compaction { id, .. } => id,
        }
    }
}
