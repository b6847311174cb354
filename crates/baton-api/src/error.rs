//! Error replies of Baton's own API, in the form of `google.rpc.Status`.

use baton_types::{ErrorCode, FieldViolation, Violations};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

const DOMAIN: &str = "a2a-protocol.org";
const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";

/// Kind of an API error: HTTP status, status name and reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApiErrorKind {
    /// The task does not exist or is not visible to the caller.
    TaskNotFound,
    /// The task has ended.
    TaskNotCancelable,
    /// The resource is not at the version that the caller specified.
    TaskGenerationMismatch,
    /// The operation is not supported here.
    UnsupportedOperation,
    /// The media type of the body is not accepted.
    UnsupportedMediaType,
    /// The body is not JSON.
    Parse,
    /// The JSON is not a request.
    InvalidRequest,
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

impl ApiErrorKind {
    const fn table(self) -> (u16, &'static str, &'static str) {
        match self {
            Self::TaskNotFound => (404, "NOT_FOUND", "TASK_NOT_FOUND"),
            Self::TaskNotCancelable => (400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"),
            Self::TaskGenerationMismatch => (409, "ABORTED", "TASK_GENERATION_MISMATCH"),
            Self::UnsupportedOperation => (400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"),
            Self::UnsupportedMediaType => (415, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"),
            Self::Parse => (400, "INVALID_ARGUMENT", "PARSE_ERROR"),
            Self::InvalidRequest => (400, "INVALID_ARGUMENT", "INVALID_REQUEST"),
            Self::InvalidParams => (400, "INVALID_ARGUMENT", "INVALID_PARAMS"),
            Self::AgentNotFound => (404, "NOT_FOUND", "AGENT_NOT_FOUND"),
            Self::PageNotFound => (404, "NOT_FOUND", "PAGE_NOT_FOUND"),
            Self::MethodNotAllowed => (405, "UNIMPLEMENTED", "METHOD_NOT_ALLOWED"),
            Self::Unauthenticated => (401, "UNAUTHENTICATED", "UNAUTHENTICATED"),
            Self::Forbidden => (403, "PERMISSION_DENIED", "FORBIDDEN"),
            Self::RateLimited => (429, "RESOURCE_EXHAUSTED", "RATE_LIMITED"),
            Self::BodyTooLarge => (413, "INVALID_ARGUMENT", "BODY_TOO_LARGE"),
            Self::Unavailable => (503, "UNAVAILABLE", "UNAVAILABLE"),
            Self::Internal => (500, "INTERNAL", "INTERNAL_ERROR"),
        }
    }

    /// The HTTP status.
    pub const fn http_status(self) -> u16 {
        self.table().0
    }

    /// The machine-readable reason.
    pub const fn reason(self) -> &'static str {
        self.table().2
    }
}

/// An error of Baton's own API. Other protocols convert it to their own form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// Kind of error.
    pub kind: ApiErrorKind,
    /// Stable code for documentation lookup.
    pub code: ErrorCode,
    /// Description of the error.
    pub message: String,
    /// Invalid fields.
    pub violations: Vec<FieldViolation>,
}

impl ApiError {
    /// An error without field violations.
    pub fn new(kind: ApiErrorKind, code: ErrorCode, message: impl Into<String>) -> Self {
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
        Self { kind: ApiErrorKind::InvalidParams, code: ErrorCode::INVALID_REQUEST, message, violations }
    }

    /// The same error with a more specific code.
    #[must_use]
    pub fn with_code(mut self, code: ErrorCode) -> Self {
        self.code = code;
        self
    }

    /// The body of the reply.
    pub fn body(&self) -> ApiErrorBody<'_> {
        let (code, status, reason) = self.kind.table();
        let metadata = BTreeMap::from([("batonCode", self.code.code), ("hint", self.code.hint)]);
        let mut details = vec![ErrorDetail {
            kind: ERROR_INFO,
            reason: Some(reason),
            domain: Some(DOMAIN),
            metadata: Some(metadata),
            field_violations: None,
        }];
        if !self.violations.is_empty() {
            let field_violations = Some(self.violations.as_slice());
            details.push(ErrorDetail { kind: BAD_REQUEST, field_violations, ..ErrorDetail::default() });
        }
        ApiErrorBody { error: ErrorStatus { code, status, message: &self.message, details } }
    }
}

/// Maximum bytes of a text in an error, which may quote caller input of several megabytes.
const MAX_TEXT_BYTES: usize = 1024;

fn clip(text: String) -> String {
    if text.len() <= MAX_TEXT_BYTES {
        text
    } else {
        format!("{}...", &text[..text.floor_char_boundary(MAX_TEXT_BYTES)])
    }
}

/// Body of an error reply.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ApiErrorBody<'a> {
    /// The error.
    error: ErrorStatus<'a>,
}

/// Error of a request.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ApiErrorStatus")]
struct ErrorStatus<'a> {
    /// HTTP status code.
    code: u16,
    /// Name of the status, such as `NOT_FOUND`.
    status: &'static str,
    /// Description of the error.
    message: &'a str,
    /// The first one has the error code of Baton; an invalid request has another one with its fields.
    details: Vec<ErrorDetail<'a>>,
}

/// Further data of an error.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ApiErrorDetail")]
struct ErrorDetail<'a> {
    /// `type.googleapis.com/google.rpc.ErrorInfo` or `type.googleapis.com/google.rpc.BadRequest`.
    #[serde(rename = "@type")]
    kind: &'static str,
    /// Kind of error, such as `TASK_NOT_FOUND`.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    /// Domain of the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<&'static str>,
    /// `batonCode` is the stable error code, such as `BTN-2001`; `hint` is a suggested fix.
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<BTreeMap<&'static str, &'static str>>,
    /// Invalid fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    field_violations: Option<&'a [FieldViolation]>,
}
