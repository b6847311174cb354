//! Items of the output of a response.

use baton_types::Json;
use serde::Serialize;

/// Where an item stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemStatus {
    /// Open.
    InProgress,
    /// Done.
    Completed,
    /// Broken off.
    Incomplete,
    /// Ended by an error.
    Failed,
}

/// One item of the output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum OutputItem {
    /// Words of the agent's.
    Message {
        /// `msg_` and the id of the message.
        id: String,
        /// Where it stands.
        status: ItemStatus,
        /// Always `assistant`.
        role: &'static str,
        /// The words.
        content: Vec<ContentPart>,
        /// `commentary` before calls of tools, `final_answer` for the answer; unknown while it is written.
        #[serde(skip_serializing_if = "Option::is_none")]
        phase: Option<&'static str>,
    },
    /// What the model thought.
    Reasoning {
        /// `rs_` and the id of the message that it thought about.
        id: String,
        /// Where it stands.
        status: ItemStatus,
        /// In words.
        summary: Vec<SummaryPart>,
    },
    /// A call of a function of the caller's.
    FunctionCall {
        /// `fc_` and the id of the call.
        id: String,
        /// Where it stands.
        status: ItemStatus,
        /// What the result names.
        call_id: String,
        /// The function.
        name: String,
        /// JSON as text.
        arguments: String,
    },
    /// A call of a tool of the caller's that takes text.
    CustomToolCall {
        /// `ctc_` and the id of the call.
        id: String,
        /// Where it stands.
        status: ItemStatus,
        /// What the result names.
        call_id: String,
        /// The tool.
        name: String,
        /// The text.
        input: String,
    },
    /// A call that the agent ran itself.
    McpCall {
        /// `mcp_` and the id of the call.
        id: String,
        /// Where it stands.
        status: ItemStatus,
        /// Whose tool it is.
        server_label: String,
        /// The tool.
        name: String,
        /// JSON as text.
        arguments: String,
        /// What it gave.
        output: Option<String>,
        /// Why it failed.
        error: Option<String>,
        /// The item that asked whether it may run.
        approval_request_id: Option<String>,
    },
    /// What a server that the request brought can do.
    McpListTools {
        /// `mcpl_` and what tells the list from others.
        id: String,
        /// Whose tools they are.
        server_label: String,
        /// The tools.
        tools: Vec<ListedTool>,
        /// Always null: a request whose server cannot be reached is refused.
        error: Option<String>,
    },
    /// The question whether a call may run.
    McpApprovalRequest {
        /// `mcpr_`, the id of the task and that of the call.
        id: String,
        /// Whose tool it is.
        server_label: String,
        /// The tool.
        name: String,
        /// JSON as text.
        arguments: String,
    },
    /// What stands for a part of the conversation.
    Compaction {
        /// Its id.
        id: String,
        /// Made by [`crate::seal_compaction`].
        encrypted_content: String,
    },
}

/// A tool of a server that a request brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedTool {
    /// The server's own name for it.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Json,
    /// Always null: nothing that a server says of itself is passed on as a promise.
    pub annotations: Option<Json>,
}

/// A piece of a message item.
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
    /// Why there is no answer.
    Refusal {
        /// In words.
        refusal: String,
    },
}

/// A piece of a reasoning item.
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
