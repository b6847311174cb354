//! Errors of the bridge, as JSON-RPC answers.

use crate::error_codes;
use baton_client::{ClientError, McpMessageError};
use baton_types::ErrorCode;
use serde_json::{Value, json};

/// JSON-RPC error codes.
const PARSE_ERROR_CODE: i32 = -32700;
const INVALID_REQUEST_CODE: i32 = -32600;
/// Codes from -32000 to -32099 are reserved for implementations.
const BRIDGE_ERROR_CODE: i32 = -32000;

/// Reason why a request has no answer from the server.
#[derive(Debug)]
pub(super) struct BridgeError {
    message: String,
    code: ErrorCode,
}

impl BridgeError {
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { message: message.into(), code }
    }

    /// An error of the connection.
    pub(super) fn from_client_error(error: &ClientError) -> Self {
        let message = "the connection to Baton broke during the call; the call may have been executed";
        match error {
            ClientError::Interrupted(reason) => {
                Self::new(error_codes::SERVER_UNREACHABLE, format!("{message} ({reason})"))
            }
            ClientError::Timeout(_) => Self::new(error_codes::SERVER_UNREACHABLE, format!("{message} ({error})")),
            other => Self::new(error_codes::SERVER_UNREACHABLE, other.to_string()),
        }
    }

    /// A stream that ended without the answer.
    pub(super) fn no_answer() -> Self {
        let message = "Baton ended the call without an answer; the call may have been executed";
        Self::new(error_codes::SERVER_UNREACHABLE, message)
    }

    /// A reply that is not a JSON-RPC message.
    pub(super) fn from_reply(status: u16, text: &str) -> Self {
        // Error responses of Baton contain a message and a hint.
        let body: Option<Value> = serde_json::from_str(text).ok();
        let member = |path: &str| body.as_ref()?.pointer(path)?.as_str().map(str::to_owned);
        let message = member("/error/message").or_else(|| member("/detail")).or_else(|| member("/message"));
        let message = message.unwrap_or_else(|| crate::screen::one_line(text, 200));
        let code = match status {
            401 | 403 => ErrorCode::UNAUTHENTICATED,
            404 => ErrorCode::AGENT_NOT_FOUND,
            _ => error_codes::SERVER_UNREACHABLE,
        };
        let next = if status == 401 { "; pass a token with --token or BATON_TOKEN" } else { "" };
        Self::new(code, format!("Baton refused the message (status {status}): {message}{next}"))
    }

    pub(super) fn message(&self) -> &str {
        &self.message
    }

    /// The answer to the request with this id.
    pub(super) fn answer(&self, id: &str) -> String {
        let data = json!({"code": self.code.code, "hint": self.code.hint});
        error(id, BRIDGE_ERROR_CODE, &self.message, Some(data))
    }
}

/// The answer to a line that is not a valid message.
pub(super) fn parse_error_answer(problem: &McpMessageError) -> String {
    match problem {
        McpMessageError::NotJson(reason) => error("null", PARSE_ERROR_CODE, reason, None),
        McpMessageError::NotMessage { id, problem } => {
            error(id.as_deref().unwrap_or("null"), INVALID_REQUEST_CODE, problem, None)
        }
    }
}

/// The answer to a line that could not be read.
pub(super) fn unusable_line_answer(reason: &str) -> String {
    error("null", PARSE_ERROR_CODE, reason, None)
}

/// The answer to a rejected request.
pub(super) fn rejection_answer(id: &str, reason: &str) -> String {
    error(id, INVALID_REQUEST_CODE, reason, None)
}

/// `id` is raw JSON, so that its digits are preserved.
fn error(id: &str, code: i32, message: &str, data: Option<Value>) -> String {
    let mut error = json!({"code": code, "message": message});
    if let Some(data) = data {
        error["data"] = data;
    }
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#)
}
