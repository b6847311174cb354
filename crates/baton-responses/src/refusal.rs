//! Request errors in the wire format of the OpenAI APIs.

use serde::Serialize;

/// Error of a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OpenAiError {
    /// The HTTP status.
    pub status: u16,
    /// The error type, which clients map to exceptions.
    pub kind: &'static str,
    /// Error code, a short identifier.
    pub code: Option<String>,
    /// The invalid field of the request.
    pub param: Option<String>,
    /// The problem and its remedy.
    pub message: String,
}

/// The member `error` of an envelope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorObject {
    /// The problem and its remedy.
    pub message: String,
    /// The error type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The invalid field of the request.
    pub param: Option<String>,
    /// Error code, a short identifier.
    pub code: Option<String>,
}

#[derive(Serialize)]
struct OpenAiErrorEnvelope {
    error: ErrorObject,
}

impl OpenAiError {
    /// An error for an invalid request.
    pub fn invalid(code: &str, param: &str, message: impl Into<String>) -> Self {
        Self {
            status: 400,
            kind: "invalid_request_error",
            code: Some(code.to_owned()),
            param: Some(param.to_owned()),
            message: message.into(),
        }
    }

    /// An error for a missing object; the code is an identifier such as `response_not_found`.
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
        serde_json::to_string(&OpenAiErrorEnvelope { error: self.error() }).unwrap_or_default()
    }
}
