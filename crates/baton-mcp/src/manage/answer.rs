//! What came of a call, for the caller's model.

use crate::work;
use baton_manage::ManageError;
use baton_types::ErrorCode;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// The result of a tool: a value, or why nothing was done.
pub(super) fn answer(tool: &str, done: Result<Value, ManageError>) -> CallToolResult {
    done.map_or_else(|error| refused(tool, error.code, &error.detail), |value| work::structured(&value))
}

/// Nothing was done, and why.
pub(super) fn refused(tool: &str, code: ErrorCode, detail: &str) -> CallToolResult {
    // Programs that know such tools tell only these two apart; the stable code is in the words.
    let kind = if code == ErrorCode::INVALID_REQUEST { "VALIDATION_ERROR" } else { "TOOL_EXECUTION_ERROR" };
    let message = format!("{detail}\n{} [{}]", code.hint, code.code);
    let error = json!({"success": false, "error": {"code": kind, "message": message, "tool": tool}});
    let text = serde_json::to_string_pretty(&error).unwrap_or_else(|_| error.to_string());
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(error);
    result
}
