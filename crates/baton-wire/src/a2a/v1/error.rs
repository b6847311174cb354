//! Error responses in each binding.

use baton_types::{ErrorCode, FieldViolation, Json, Violations};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const DOMAIN: &str = "a2a-protocol.org";
const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";

/// Kind of error, as clients in any language distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The task does not exist or is not visible to the caller.
    TaskNotFound,
    /// The task has ended.
    TaskNotCancelable,
    /// Push notifications are not supported.
    PushNotificationNotSupported,
    /// The operation is not supported here.
    UnsupportedOperation,
    /// A media type is not accepted.
    ContentTypeNotSupported,
    /// The binding does not accept the media type of the body.
    UnsupportedMediaType,
    /// The agent returned an invalid A2A response.
    InvalidAgentResponse,
    /// There is no extended card.
    ExtendedAgentCardNotConfigured,
    /// The caller must use an extension.
    ExtensionSupportRequired,
    /// The requested protocol version is not supported.
    VersionNotSupported,
    /// The task is not at the generation that the caller specified.
    TaskGenerationMismatch,
    /// The body is not JSON.
    Parse,
    /// The JSON is not a request.
    InvalidRequest,
    /// The method does not exist.
    MethodNotFound,
    /// The parameters are invalid.
    InvalidParams,
    /// The agent does not exist.
    AgentNotFound,
    /// The path does not exist.
    PageNotFound,
    /// The path does not support the HTTP method.
    MethodNotAllowed,
    /// The caller is not authenticated.
    Unauthenticated,
    /// The caller is not authorized.
    Forbidden,
    /// The caller exceeded the rate limit.
    RateLimited,
    /// The body exceeds the size limit.
    BodyTooLarge,
    /// Temporarily unavailable.
    Unavailable,
    /// Internal server error.
    Internal,
}

impl ErrorKind {
    /// All kinds. Where several share a code or a reason, the default for that code or reason comes first.
    pub const ALL: &[Self] = &[
        Self::TaskNotFound,
        Self::TaskNotCancelable,
        Self::PushNotificationNotSupported,
        Self::UnsupportedOperation,
        Self::ContentTypeNotSupported,
        Self::UnsupportedMediaType,
        Self::InvalidAgentResponse,
        Self::ExtendedAgentCardNotConfigured,
        Self::ExtensionSupportRequired,
        Self::VersionNotSupported,
        Self::TaskGenerationMismatch,
        Self::Parse,
        Self::InvalidRequest,
        Self::MethodNotFound,
        Self::InvalidParams,
        Self::Internal,
        Self::AgentNotFound,
        Self::PageNotFound,
        Self::MethodNotAllowed,
        Self::Unauthenticated,
        Self::Forbidden,
        Self::RateLimited,
        Self::BodyTooLarge,
        Self::Unavailable,
    ];

    /// The kind for an `ErrorInfo.reason`.
    pub fn from_reason(reason: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.reason() == reason)
    }

    /// The kind for a JSON-RPC code.
    pub fn from_rpc_code(code: i32) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.rpc_code() == code)
    }

    /// JSON-RPC code, HTTP status, status name and `ErrorInfo.reason`.
    const fn table(self) -> (i32, u16, &'static str, &'static str) {
        match self {
            Self::TaskNotFound => (-32001, 404, "NOT_FOUND", "TASK_NOT_FOUND"),
            Self::TaskNotCancelable => (-32002, 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"),
            Self::PushNotificationNotSupported => {
                (-32003, 400, "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED")
            }
            Self::UnsupportedOperation => (-32004, 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"),
            Self::ContentTypeNotSupported => (-32005, 400, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"),
            Self::UnsupportedMediaType => (-32005, 415, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"),
            Self::InvalidAgentResponse => (-32006, 500, "INTERNAL", "INVALID_AGENT_RESPONSE"),
            Self::ExtendedAgentCardNotConfigured => {
                (-32007, 400, "FAILED_PRECONDITION", "EXTENDED_AGENT_CARD_NOT_CONFIGURED")
            }
            Self::ExtensionSupportRequired => (-32008, 400, "FAILED_PRECONDITION", "EXTENSION_SUPPORT_REQUIRED"),
            Self::VersionNotSupported => (-32009, 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"),
            Self::TaskGenerationMismatch => (-32010, 409, "ABORTED", "TASK_GENERATION_MISMATCH"),
            Self::Parse => (-32700, 400, "INVALID_ARGUMENT", "PARSE_ERROR"),
            Self::InvalidRequest => (-32600, 400, "INVALID_ARGUMENT", "INVALID_REQUEST"),
            Self::MethodNotFound => (-32601, 404, "UNIMPLEMENTED", "METHOD_NOT_FOUND"),
            Self::InvalidParams => (-32602, 400, "INVALID_ARGUMENT", "INVALID_PARAMS"),
            Self::AgentNotFound => (-32600, 404, "NOT_FOUND", "AGENT_NOT_FOUND"),
            Self::PageNotFound => (-32600, 404, "NOT_FOUND", "PAGE_NOT_FOUND"),
            Self::MethodNotAllowed => (-32600, 405, "UNIMPLEMENTED", "METHOD_NOT_ALLOWED"),
            Self::Unauthenticated => (-32600, 401, "UNAUTHENTICATED", "UNAUTHENTICATED"),
            Self::RateLimited => (-32600, 429, "RESOURCE_EXHAUSTED", "RATE_LIMITED"),
            Self::Forbidden => (-32600, 403, "PERMISSION_DENIED", "FORBIDDEN"),
            Self::BodyTooLarge => (-32600, 413, "INVALID_ARGUMENT", "BODY_TOO_LARGE"),
            Self::Unavailable => (-32603, 503, "UNAVAILABLE", "UNAVAILABLE"),
            Self::Internal => (-32603, 500, "INTERNAL", "INTERNAL_ERROR"),
        }
    }

    /// The JSON-RPC code.
    pub const fn rpc_code(self) -> i32 {
        self.table().0
    }

    /// The HTTP status in bindings that use HTTP statuses.
    pub const fn http_status(self) -> u16 {
        self.table().1
    }

    /// The HTTP status of a JSON-RPC response: 200, unless the request did not reach the method for a reason that
    /// proxies and retrying clients act on.
    pub const fn rpc_http_status(self) -> u16 {
        match self {
            Self::AgentNotFound
            | Self::Unauthenticated
            | Self::Forbidden
            | Self::RateLimited
            | Self::BodyTooLarge
            | Self::UnsupportedMediaType
            | Self::Unavailable => self.http_status(),
            _ => 200,
        }
    }

    /// The status name of `google.rpc.Code`, used in gRPC and REST bodies.
    pub const fn status(self) -> &'static str {
        self.table().2
    }

    /// The machine-readable reason.
    pub const fn reason(self) -> &'static str {
        self.table().3
    }
}

/// An error, independent of the binding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Kind of error.
    pub kind: ErrorKind,
    /// Stable code for documentation lookup.
    pub code: ErrorCode,
    /// Description of the error.
    pub message: String,
    /// Invalid fields.
    pub violations: Vec<FieldViolation>,
}

impl Error {
    /// An error without field violations.
    pub fn new(kind: ErrorKind, code: ErrorCode, message: impl Into<String>) -> Self {
        Self { kind, code, message: clip(message.into()), violations: Vec::new() }
    }

    /// Invalid parameters; the message names the first violation.
    pub fn invalid_params(violations: Violations) -> Self {
        let clipped =
            |one: FieldViolation| FieldViolation { field: clip(one.field), description: clip(one.description) };
        let violations: Vec<_> = violations.into_vec().into_iter().map(clipped).collect();
        let message = match violations.first() {
            Some(first) => format!("{}: {}", first.field, first.description),
            None => "the parameters are invalid".to_owned(),
        };
        Self { kind: ErrorKind::InvalidParams, code: ErrorCode::INVALID_REQUEST, message, violations }
    }

    /// The same error with a more specific code.
    #[must_use]
    pub fn with_code(mut self, code: ErrorCode) -> Self {
        self.code = code;
        self
    }

    fn details(&self) -> Vec<Detail> {
        let metadata = BTreeMap::from([
            ("batonCode".to_owned(), self.code.code.to_owned()),
            ("hint".to_owned(), self.code.hint.to_owned()),
        ]);
        let mut details = vec![Detail {
            kind: ERROR_INFO.to_owned(),
            reason: Some(self.kind.reason().to_owned()),
            domain: Some(DOMAIN.to_owned()),
            metadata: Some(metadata),
            field_violations: None,
        }];
        if !self.violations.is_empty() {
            details.push(Detail {
                kind: BAD_REQUEST.to_owned(),
                field_violations: Some(self.violations.clone()),
                ..Detail::default()
            });
        }
        details
    }
}

/// Maximum bytes of a text in an error. The text may quote caller input of several megabytes, and gRPC puts it into a
/// header.
const MAX_TEXT_BYTES: usize = 1024;

fn clip(text: String) -> String {
    if text.len() <= MAX_TEXT_BYTES {
        text
    } else {
        format!("{}...", &text[..text.floor_char_boundary(MAX_TEXT_BYTES)])
    }
}

/// One typed detail of an error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Detail {
    #[serde(rename = "@type")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    field_violations: Option<Vec<FieldViolation>>,
}

/// The `error` member of a JSON-RPC response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorObject {
    /// The JSON-RPC code.
    pub code: i32,
    /// Description of the error.
    #[serde(default)]
    pub message: String,
    /// Typed details; an array if an A2A server wrote the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
}

impl From<&Error> for ErrorObject {
    fn from(error: &Error) -> Self {
        Self {
            code: error.kind.rpc_code(),
            message: error.message.clone(),
            data: Json::from_serializable(&error.details()).ok(),
        }
    }
}

impl ErrorObject {
    fn details(&self) -> Vec<Detail> {
        self.data.as_ref().and_then(|data| data.read().ok()).unwrap_or_default()
    }

    fn info(&self, key: &str) -> Option<String> {
        self.details().into_iter().find_map(|detail| detail.metadata?.remove(key))
    }

    /// Stable code for documentation lookup, if a Baton server wrote the error.
    pub fn baton_code(&self) -> Option<String> {
        self.info("batonCode")
    }

    /// Suggested next step, if a Baton server wrote the error.
    pub fn hint(&self) -> Option<String> {
        self.info("hint")
    }

    /// The machine-readable reason.
    pub fn reason(&self) -> Option<String> {
        self.details().into_iter().find_map(|detail| detail.reason)
    }

    /// Invalid fields.
    pub fn violations(&self) -> Vec<FieldViolation> {
        self.details().into_iter().find_map(|detail| detail.field_violations).unwrap_or_default()
    }
}

/// Error body of bindings other than JSON-RPC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestError {
    error: RestStatus,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RestStatus {
    code: u16,
    status: String,
    message: String,
    #[serde(default)]
    details: Vec<Detail>,
}

impl From<&Error> for RestError {
    fn from(error: &Error) -> Self {
        let (_, code, status, _) = error.kind.table();
        let (message, details) = (error.message.clone(), error.details());
        Self { error: RestStatus { code, status: status.to_owned(), message, details } }
    }
}

impl RestError {
    /// Converts to the JSON-RPC form, so that clients handle only one type.
    pub fn into_object(self) -> ErrorObject {
        ErrorObject {
            code: -i32::from(self.error.code),
            message: self.error.message,
            data: Json::from_serializable(&self.error.details).ok(),
        }
    }
}
