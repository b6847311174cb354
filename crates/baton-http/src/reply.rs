//! Conversion of errors and values to HTTP responses.

use crate::{a2a, responses};
use axum::{body::Body, response::Response};
use baton_encoding::depth_within;
use baton_engine::EngineError;
use baton_ports::JournalError;
use baton_types::{ErrorCode, MAX_JSON_DEPTH};
use baton_types::{FieldViolation, Violations};
use baton_wire::{
    a2a::{
        v1::{Error, ErrorKind, RestError},
        v03::rest,
    },
    jsonrpc,
};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Serialize;
use serde_json::value::RawValue;

/// Maps an engine error to an API error, for all protocols.
pub(crate) fn from_engine(error: EngineError) -> Error {
    let (code, message) = (error.code(), error.to_string());
    let kind = match error {
        EngineError::AgentNotFound(_) => ErrorKind::AgentNotFound,
        EngineError::TaskNotFound(_) | EngineError::Journal(JournalError::Missing { .. }) => ErrorKind::TaskNotFound,
        EngineError::TaskFinished { .. } => ErrorKind::UnsupportedOperation,
        EngineError::NotCancelable { .. } => ErrorKind::TaskNotCancelable,
        EngineError::GenerationMismatch { .. } => ErrorKind::TaskGenerationMismatch,
        EngineError::IdempotencyConflict(_) => {
            return Error::invalid_params(violation("Idempotency-Key", message)).with_code(code);
        }
        EngineError::PushRefused(_) => return Error::invalid_params(violation("url", message)).with_code(code),
        EngineError::PushNotFound { .. } => ErrorKind::TaskNotFound,
        EngineError::Invalid { field, detail, .. } => {
            return Error::invalid_params(violation(&field, detail)).with_code(code);
        }
        EngineError::ShuttingDown
        | EngineError::Journal(
            JournalError::Busy
            | JournalError::Unavailable(_)
            | JournalError::Conflict { .. }
            | JournalError::StaleEpoch { .. }
            | JournalError::Leased { .. }
            | JournalError::Claimed { .. },
        ) => ErrorKind::Unavailable,
        EngineError::Journal(_) => ErrorKind::Internal,
    };
    if matches!(kind, ErrorKind::Internal) {
        tracing::error!(code = code.code, %message, "a command failed");
    }
    Error::new(kind, code, message)
}

fn violation(field: &str, description: String) -> Violations {
    FieldViolation { field: field.to_owned(), description }.into()
}

/// Media type of responses outside JSON-RPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonMediaType {
    /// `application/json`, the default.
    Json,
    /// `application/a2a+json`, preferred by A2A 1.0; only for clients that name it.
    A2aJson,
}

const A2A_JSON: &str = "application/a2a+json";

impl JsonMediaType {
    /// Media type from the `Accept` and `Content-Type` headers.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Self {
        let header_names = [header::ACCEPT, header::CONTENT_TYPE];
        let names = |name| headers.get(name).and_then(|value| value.to_str().ok()).is_some_and(names_a2a_json);
        if header_names.into_iter().any(names) { Self::A2aJson } else { Self::Json }
    }

    fn value(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Json => "application/json",
            Self::A2aJson => A2A_JSON,
        })
    }
}

fn names_a2a_json(value: &str) -> bool {
    value.split(',').any(|one| essence(one).eq_ignore_ascii_case(A2A_JSON))
}

fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
}

/// Rejects a body with a content type other than JSON. A missing type means JSON, unless a web page sent the request:
/// pages can send such bodies across origins without a preflight request.
pub(crate) fn check_json(headers: &HeaderMap) -> Result<(), Error> {
    let content_type = headers.get(header::CONTENT_TYPE).map(|value| essence(value.to_str().unwrap_or("unreadable")));
    match content_type.filter(|essence| !essence.is_empty()) {
        Some(essence) if is_json(essence) => Ok(()),
        Some(essence) => {
            let essence: String = essence.chars().take(64).collect();
            Err(unsupported(&format!("Content-Type must be application/json, not '{essence}'")))
        }
        None if headers.contains_key(header::ORIGIN) => {
            Err(unsupported("Content-Type must be application/json, and is missing"))
        }
        None => Ok(()),
    }
}

/// Error for an unsupported media type or encoding.
pub(crate) fn unsupported(message: &str) -> Error {
    Error::new(ErrorKind::UnsupportedMediaType, ErrorCode::MEDIA_TYPE_UNSUPPORTED, message)
}

/// `application/json`, or a type with the structured suffix `+json`.
fn is_json(essence: &str) -> bool {
    let lower = essence.to_ascii_lowercase();
    let Some(subtype) = lower.strip_prefix("application/") else { return false };
    subtype == "json" || subtype.strip_suffix("+json").is_some_and(|name| !name.is_empty())
}

/// The body as text, if it is UTF-8 and not nested too deeply.
pub(crate) fn parse_text(bytes: &[u8]) -> Result<&str, Error> {
    if !depth_within(bytes, MAX_JSON_DEPTH) {
        let message = format!("the JSON is nested deeper than {MAX_JSON_DEPTH} levels");
        return Err(Error::new(ErrorKind::InvalidRequest, ErrorCode::TOO_DEEP, message));
    }
    utf8(bytes)
}

/// The body as text, if it is UTF-8.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(bytes)
        .map_err(|_| Error::new(ErrorKind::Parse, ErrorCode::INVALID_REQUEST, "the body is not UTF-8"))
}

/// A 200 response with encoded JSON.
pub(crate) fn json_bytes(bytes: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A 200 response with a value as JSON.
pub(crate) fn json(value: &impl Serialize) -> Response {
    json_as(value, JsonMediaType::Json)
}

/// A 200 response with a value as JSON in the given media type.
pub(crate) fn json_as(value: &impl Serialize, media: JsonMediaType) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => with_media(json_bytes(bytes), media),
        Err(error) => rest_error_as(&Error::new(ErrorKind::Internal, ErrorCode::INTERNAL, error.to_string()), media),
    }
}

fn with_media(mut response: Response, media: JsonMediaType) -> Response {
    response.headers_mut().insert(header::CONTENT_TYPE, media.value());
    response
}

/// An error inside a JSON-RPC envelope.
pub(crate) fn rpc_error(id: Option<&RawValue>, error: &Error) -> Response {
    let mut bytes = Vec::with_capacity(512);
    jsonrpc::write_error(&mut bytes, id, error);
    rpc_bytes(bytes, error)
}

/// An encoded error in a JSON-RPC envelope.
pub(crate) fn rpc_bytes(bytes: Vec<u8>, error: &Error) -> Response {
    with_status(json_bytes(bytes), error.kind.rpc_http_status())
}

/// An error outside JSON-RPC.
pub(crate) fn rest_error(error: &Error) -> Response {
    rest_error_as(error, JsonMediaType::Json)
}

/// An error outside JSON-RPC in the given media type.
pub(crate) fn rest_error_as(error: &Error, media: JsonMediaType) -> Response {
    let bytes = serde_json::to_vec(&RestError::from(error)).unwrap_or_else(|_| b"{}".to_vec());
    with_status(with_media(json_bytes(bytes), media), error.kind.http_status())
}

/// An error outside JSON-RPC in the 0.3 format.
pub(crate) fn old_rest_error(error: &Error) -> Response {
    with_status(json(&rest::error_body(error)), rest::http_status(error.kind))
}

fn with_status(mut response: Response, status: u16) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *response.status_mut() = status;
    if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

/// Response for unknown paths.
pub(crate) async fn no_such_page(method: http::Method, headers: HeaderMap, uri: http::Uri) -> Response {
    if a2a::is_grpc(&headers) {
        return a2a::unknown_grpc_method(uri.path());
    }
    if responses::is_openai_path(uri.path()) {
        return responses::no_such_path(&method, uri.path());
    }
    let message = format!("there is nothing at {}", uri.path());
    rest_error(&Error::new(ErrorKind::PageNotFound, ErrorCode::INVALID_REQUEST, message))
}

/// Response for known paths with an unsupported method.
pub(crate) async fn no_such_method(method: http::Method, uri: http::Uri) -> Response {
    if responses::is_openai_path(uri.path()) {
        return responses::no_such_method(&method, uri.path());
    }
    let message = format!("{} does not answer {method}", uri.path());
    rest_error(&Error::new(ErrorKind::MethodNotAllowed, ErrorCode::INVALID_REQUEST, message))
}
