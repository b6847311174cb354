//! Why a call gave no answer.

use baton_wire::{FieldViolation, a2a::v1::ErrorObject};
use std::time::Duration;

/// A call that gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address cannot be used.
    #[error("'{address}' is not usable as an address: {reason}")]
    Address {
        /// What was given.
        address: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The token cannot be shown.
    #[error("the token has letters that no token can have")]
    Token,
    /// Nobody answers there.
    #[error("no Baton answers at {address}: {reason}")]
    Unreachable {
        /// Where.
        address: String,
        /// What the system said.
        reason: String,
    },
    /// The connection broke before the answer was complete; the request may have been carried out.
    #[error("the connection broke off: {0}")]
    Interrupted(String),
    /// No answer in time; the request may have been carried out.
    #[error("no answer within {} s", .0.as_secs_f32())]
    Timeout(Duration),
    /// The server said no.
    #[error(transparent)]
    Refused(Box<Refusal>),
    /// The answer makes no sense.
    #[error("the answer is not understood: {0}")]
    Unintelligible(String),
}

impl ClientError {
    /// The server's refusal, when that is what happened.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }
}

/// What the server said when it said no.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The JSON-RPC code; the negative HTTP status outside JSON-RPC.
    pub code: i32,
    /// What happened.
    pub message: String,
    /// The stable code that people look up, `BTN-...`.
    pub baton_code: Option<String>,
    /// What to do next.
    pub hint: Option<String>,
    /// The machine-readable reason, such as `TASK_NOT_FOUND`.
    pub reason: Option<String>,
    /// Which fields were wrong.
    pub violations: Vec<FieldViolation>,
}

impl Refusal {
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

impl From<Refusal> for ClientError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}
