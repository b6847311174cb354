//! Requests that cannot be served, in the form that clients of these dialects read.

use serde::Serialize;

/// Why a request is refused, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The kind of error, which clients make their own types of.
    pub kind: &'static str,
    /// What exactly, as a word.
    pub code: Option<String>,
    /// The field of the request that is wrong.
    pub param: Option<String>,
    /// What is wrong and what would be right.
    pub message: String,
}

/// The member `error` of an envelope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorObject {
    /// What is wrong and what would be right.
    pub message: String,
    /// The kind of error.
    #[serde(rename = "type")]
    pub kind: String,
    /// The field of the request that is wrong.
    pub param: Option<String>,
    /// What exactly, as a word.
    pub code: Option<String>,
}

#[derive(Serialize)]
struct Envelope {
    error: ErrorObject,
}

impl Refusal {
    /// The request is wrong.
    pub fn invalid(code: &str, param: &str, message: impl Into<String>) -> Self {
        Self {
            status: 400,
            kind: "invalid_request_error",
            code: Some(code.to_owned()),
            param: Some(param.to_owned()),
            message: message.into(),
        }
    }

    /// There is no such thing; the code is a word such as `response_not_found`.
    pub fn not_found(code: &str, param: &str, message: impl Into<String>) -> Self {
        Self { status: 404, ..Self::invalid(code, param, message) }
    }

    /// The member `error` of the envelope.
    pub fn error(&self) -> ErrorObject {
        ErrorObject {
            message: self.message.clone(),
            kind: self.kind.to_owned(),
            param: self.param.clone(),
            code: self.code.clone(),
        }
    }

    /// The envelope as JSON text.
    pub fn to_json(&self) -> String {
        serde_json::to_string(&Envelope { error: self.error() }).unwrap_or_default()
    }
}
