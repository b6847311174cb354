//! One tool call and its result.

use super::context::InternalContext;
use baton_types::{AgentName, ErrorCode, TaskId};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};

/// Maximum names listed in an error message.
const MAX_LISTED_NAMES: usize = 50;

/// A call with its context.
pub(super) struct InternalCall<'a> {
    pub(super) context: &'a InternalContext,
    /// Agent that owns the server.
    pub(super) agent: &'a AgentName,
    /// The tool name, for messages.
    pub(super) tool: &'a str,
    /// The task that made the call.
    pub(super) task: Option<TaskId>,
    pub(super) arguments: JsonObject,
}

/// Rejection of a call; the text tells the model how to proceed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct CallRejection(String);

impl CallRejection {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    pub(super) fn with_code(code: ErrorCode, detail: impl AsRef<str>) -> Self {
        Self(format!("{}: {}", code.code, detail.as_ref()))
    }

    pub(super) fn result(&self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(self.0.clone())])
    }
}

/// Result of a call.
pub(super) type InternalCallResult = Result<CallToolResult, CallRejection>;

/// A success message.
pub(super) fn success(text: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text.into())])
}

/// A list of names, shortened for a message.
pub(super) fn join_names<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.len() {
        0 => "none".to_owned(),
        count if count > MAX_LISTED_NAMES => {
            format!("{} and {} more", names[..MAX_LISTED_NAMES].join(", "), count - MAX_LISTED_NAMES)
        }
        _ => names.join(", "),
    }
}
