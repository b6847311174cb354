//! One call of a tool, and what comes of it.

use super::inside::Inside;
use baton_types::{AgentName, ErrorCode, TaskId};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};

/// Names that are told to somebody who missed.
const NAMED: usize = 50;

/// A call with everything that answering it may need.
pub(super) struct Call<'a> {
    pub(super) inside: &'a Inside,
    /// Whose server it is.
    pub(super) agent: &'a AgentName,
    /// The tool, for messages.
    pub(super) tool: &'a str,
    /// The task in which it was made.
    pub(super) task: Option<TaskId>,
    pub(super) arguments: JsonObject,
}

/// Why nothing was done; for the model, which is told what to do instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(super) struct Refused(String);

impl Refused {
    pub(super) fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }

    pub(super) fn coded(code: ErrorCode, detail: impl AsRef<str>) -> Self {
        Self(format!("{}: {}", code.code, detail.as_ref()))
    }

    pub(super) fn result(&self) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(self.0.clone())])
    }
}

/// What a call gives.
pub(super) type Answer = Result<CallToolResult, Refused>;

/// That something was done, in a sentence.
pub(super) fn done(words: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(words.into())])
}

/// Names in a message, not more than can be read.
pub(super) fn named<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match names.len() {
        0 => "none".to_owned(),
        count if count > NAMED => format!("{} and {} more", names[..NAMED].join(", "), count - NAMED),
        _ => names.join(", "),
    }
}
