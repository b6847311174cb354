//! Call results for the caller's model.

use crate::agent_invocation;
use baton_manage::ManageError;
use baton_types::ErrorCode;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// Result of a tool: a value, or an error.
pub(super) fn answer(tool: &str, done: Result<Value, ManageError>) -> CallToolResult {
    done.map_or_else(
        |error| refused(tool, error.code, &error.detail),
        |value| agent_invocation::structured_result(&value),
    )
}

/// Error result of a rejected call.
pub(super) fn refused(tool: &str, code: ErrorCode, detail: &str) -> CallToolResult {
    // Existing clients of such tools distinguish only these two codes; the stable code is in the message.
    let kind = if code == ErrorCode::INVALID_REQUEST { "VALIDATION_ERROR" } else { "TOOL_EXECUTION_ERROR" };
    let message = format!("{detail}\n{} [{}]", code.hint, code.code);
    let error = json!({"success": false, "error": {"code": kind, "message": message, "tool": tool}});
    let text = serde_json::to_string_pretty(&error).unwrap_or_else(|_| error.to_string());
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    result.structured_content = Some(error);
    result
}
