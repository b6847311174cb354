//! Errors of client calls.

use baton_types::FieldViolation;
use baton_wire::a2a::v1::ErrorObject;
use std::time::Duration;

/// Error of a client call.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address is invalid.
    #[error("'{address}' is not a valid address: {reason}")]
    Address {
        /// The given address.
        address: String,
        /// Reason.
        reason: String,
    },
    /// The token is invalid as a header value.
    #[error("the token contains invalid characters")]
    Token,
    /// The server is unreachable.
    #[error("no Baton server answers at {address}: {reason}")]
    Unreachable {
        /// Address of the server.
        address: String,
        /// Error of the system.
        reason: String,
    },
    /// The connection broke before the response was complete; the request may have been executed.
    #[error("the connection was interrupted: {0}")]
    Interrupted(String),
    /// Timeout; the request may have been executed.
    #[error("no answer within {} s", .0.as_secs_f32())]
    Timeout(Duration),
    /// The server returned an error.
    #[error(transparent)]
    Refused(Box<ServerRefusal>),
    /// The response is invalid.
    #[error("invalid response: {0}")]
    InvalidResponse(String),
}

impl ClientError {
    /// The error response of the server, if there is one.
    pub fn refusal(&self) -> Option<&ServerRefusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }
}

/// Error response of a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ServerRefusal {
    /// The HTTP status.
    pub status: u16,
    /// The JSON-RPC code; the negative HTTP status outside JSON-RPC.
    pub code: i32,
    /// Message.
    pub message: String,
    /// Stable error code, `BTN-...`.
    pub baton_code: Option<String>,
    /// Advice how to proceed.
    pub hint: Option<String>,
    /// The machine-readable reason, such as `TASK_NOT_FOUND`.
    pub reason: Option<String>,
    /// Invalid fields of the request.
    pub violations: Vec<FieldViolation>,
}

impl ServerRefusal {
    pub(crate) fn new(status: u16, error: ErrorObject) -> Self {
        Self {
            status,
            code: error.code,
            baton_code: error.baton_code(),
            hint: error.hint(),
            reason: error.reason(),
            violations: error.violations(),
            message: error.message,
        }
    }
}

impl From<ServerRefusal> for ClientError {
    fn from(refusal: ServerRefusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}
