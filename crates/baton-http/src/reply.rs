//! JSON replies and errors of Baton's own API.

use crate::error_codes;
use axum::{body::Body, response::Response};
use baton_api::{ApiError, ApiErrorKind};
use baton_encoding::depth_within;
use baton_types::{ErrorCode, FieldViolation, MAX_JSON_DEPTH};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::{Serialize, de::DeserializeOwned};

fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim()
}

/// Rejects a body with a content type other than JSON. A missing type means JSON, unless a web page sent the request:
/// pages can send such bodies across origins without a preflight request.
pub fn check_json(headers: &HeaderMap) -> Result<(), ApiError> {
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
pub fn unsupported(message: &str) -> ApiError {
    ApiError::new(ApiErrorKind::UnsupportedMediaType, error_codes::MEDIA_TYPE_UNSUPPORTED, message)
}

/// `application/json`, or a type with the structured suffix `+json`.
fn is_json(essence: &str) -> bool {
    let lower = essence.to_ascii_lowercase();
    let Some(subtype) = lower.strip_prefix("application/") else { return false };
    subtype == "json" || subtype.strip_suffix("+json").is_some_and(|name| !name.is_empty())
}

/// The body as text, if it is UTF-8 and not nested too deeply.
pub fn parse_text(bytes: &[u8]) -> Result<&str, ApiError> {
    if !depth_within(bytes, MAX_JSON_DEPTH) {
        let message = format!("the JSON is nested deeper than {MAX_JSON_DEPTH} levels");
        return Err(ApiError::new(ApiErrorKind::InvalidRequest, ErrorCode::TOO_DEEP, message));
    }
    utf8(bytes)
}

/// The body as text, if it is UTF-8.
pub fn utf8(bytes: &[u8]) -> Result<&str, ApiError> {
    std::str::from_utf8(bytes)
        .map_err(|_| ApiError::new(ApiErrorKind::Parse, ErrorCode::INVALID_REQUEST, "the body is not UTF-8"))
}

/// The parameters of a body; an invalid one is named by its path.
pub fn parse_params<T: DeserializeOwned>(text: &str) -> Result<T, ApiError> {
    if !text.starts_with('{') {
        return Err(invalid_field("params".to_owned(), "must be an object"));
    }
    // Tracking the path is slow, so it is computed only after an error.
    serde_json::from_str(text).or_else(|_| {
        let mut reader = serde_json::Deserializer::from_str(text);
        let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let field = match error.path().to_string() {
                root if root == "." => "params".to_owned(),
                path => path,
            };
            let description = error.into_inner().to_string();
            invalid_field(field, description.split(" at line ").next().unwrap_or_default())
        })?;
        reader.end().map_err(|_| invalid_field("params".to_owned(), "unexpected text after the object"))?;
        Ok(read)
    })
}

fn invalid_field(field: String, description: &str) -> ApiError {
    ApiError::invalid_params(FieldViolation { field, description: description.to_owned() }.into())
}

/// A 200 response with encoded JSON.
pub fn json_bytes(bytes: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A 200 response with a value as JSON.
pub fn json(value: &impl Serialize) -> Response {
    match serde_json::to_vec(value) {
        Ok(bytes) => json_bytes(bytes),
        Err(failure) => error(&ApiError::new(ApiErrorKind::Internal, ErrorCode::INTERNAL, failure.to_string())),
    }
}

/// An error of Baton's own API.
pub fn error(error: &ApiError) -> Response {
    let bytes = serde_json::to_vec(&error.body()).unwrap_or_else(|_| b"{}".to_vec());
    with_status(json_bytes(bytes), error.kind.http_status())
}

/// The response with this status; a rejection that a retry may fix names the time to wait.
pub fn with_status(mut response: Response, status: u16) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    *response.status_mut() = status;
    if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}
