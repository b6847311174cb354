//! How a refusal looks in each binding.

use crate::{FieldViolation, Violations};
use baton_types::{ErrorCode, Json};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const DOMAIN: &str = "a2a-protocol.org";
const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";

/// What kind of refusal it is, as clients of any language tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// No such task, or not for this caller.
    TaskNotFound,
    /// The task has ended.
    TaskNotCancelable,
    /// Push is not offered.
    PushNotificationNotSupported,
    /// The operation makes no sense here.
    UnsupportedOperation,
    /// A media type is not accepted.
    ContentTypeNotSupported,
    /// The body's own media type is not one that the binding reads.
    UnsupportedMediaType,
    /// The agent answered with something that is not A2A.
    InvalidAgentResponse,
    /// There is no extended card.
    ExtendedAgentCardNotConfigured,
    /// The caller must use an extension.
    ExtensionSupportRequired,
    /// Another protocol version was asked for.
    VersionNotSupported,
    /// The task is not at the generation that the caller named.
    TaskGenerationMismatch,
    /// The body is not JSON.
    Parse,
    /// The JSON is not a request.
    InvalidRequest,
    /// There is no such method.
    MethodNotFound,
    /// The parameters are wrong.
    InvalidParams,
    /// There is no such agent here.
    AgentNotFound,
    /// There is nothing at that path.
    PageNotFound,
    /// The path answers other HTTP methods.
    MethodNotAllowed,
    /// Nobody knows who is asking.
    Unauthenticated,
    /// The caller may not come this way.
    Forbidden,
    /// The caller asks too often.
    RateLimited,
    /// The body is over the limit.
    BodyTooLarge,
    /// Not now.
    Unavailable,
    /// A fault of the server.
    Internal,
}

impl ErrorKind {
    /// All of them; where several share a code or a reason, the one that is meant without further details comes first.
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

    /// The kind that a server means by this `ErrorInfo.reason`.
    pub fn of_reason(reason: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.reason() == reason)
    }

    /// The kind that a server means by this JSON-RPC code.
    pub fn of_rpc_code(code: i32) -> Option<Self> {
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

    /// The HTTP status of bindings that use them.
    pub const fn http_status(self) -> u16 {
        self.table().1
    }

    /// The HTTP status of a JSON-RPC reply: 200 unless the request never reached the method for reasons that
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

    /// The status by its name in `google.rpc.Code`, as gRPC and REST bodies know it.
    pub const fn status(self) -> &'static str {
        self.table().2
    }

    /// The machine-readable reason.
    pub const fn reason(self) -> &'static str {
        self.table().3
    }
}

/// A refusal, before it takes the form of a binding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What kind it is.
    pub kind: ErrorKind,
    /// The stable code that people look up.
    pub code: ErrorCode,
    /// What happened.
    pub message: String,
    /// Which fields are wrong.
    pub violations: Vec<FieldViolation>,
}

impl Error {
    /// A refusal without field violations.
    pub fn new(kind: ErrorKind, code: ErrorCode, message: impl Into<String>) -> Self {
        Self { kind, code, message: clip(message.into()), violations: Vec::new() }
    }

    /// Wrong parameters; the message names the first of them.
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

    /// The same refusal under a more telling code.
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

/// Most bytes of a text in a refusal. It may quote what the caller said, which can be megabytes, and gRPC puts it into
/// a header.
const LONGEST: usize = 1024;

fn clip(text: String) -> String {
    if text.len() <= LONGEST { text } else { format!("{}...", &text[..text.floor_char_boundary(LONGEST)]) }
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

/// The `error` member of a JSON-RPC reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorObject {
    /// The JSON-RPC code.
    pub code: i32,
    /// What happened.
    #[serde(default)]
    pub message: String,
    /// Typed details, an array when an A2A server wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Json>,
}

impl From<&Error> for ErrorObject {
    fn from(error: &Error) -> Self {
        Self { code: error.kind.rpc_code(), message: error.message.clone(), data: Json::of(&error.details()).ok() }
    }
}

impl ErrorObject {
    fn details(&self) -> Vec<Detail> {
        self.data.as_ref().and_then(|data| data.read().ok()).unwrap_or_default()
    }

    fn info(&self, key: &str) -> Option<String> {
        self.details().into_iter().find_map(|detail| detail.metadata?.remove(key))
    }

    /// The stable code that people look up, when a Baton wrote the error.
    pub fn baton_code(&self) -> Option<String> {
        self.info("batonCode")
    }

    /// What to do next, when a Baton wrote the error.
    pub fn hint(&self) -> Option<String> {
        self.info("hint")
    }

    /// The machine-readable reason.
    pub fn reason(&self) -> Option<String> {
        self.details().into_iter().find_map(|detail| detail.reason)
    }

    /// Which fields are wrong.
    pub fn violations(&self) -> Vec<FieldViolation> {
        self.details().into_iter().find_map(|detail| detail.field_violations).unwrap_or_default()
    }
}

/// The body of an error outside JSON-RPC.
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
    /// The same error in its JSON-RPC form, so that clients have one kind to handle.
    pub fn into_object(self) -> ErrorObject {
        ErrorObject {
            code: -i32::from(self.error.code),
            message: self.error.message,
            data: Json::of(&self.error.details).ok(),
        }
    }
}
