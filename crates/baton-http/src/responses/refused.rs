//! The only place where errors are converted to OpenAI error replies.

use axum::{body::Body, response::Response};
use baton_engine::{EngineError, SessionError};
use baton_responses::Refusal;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use http::{HeaderValue, StatusCode, header};

use crate::reply;

/// Converts an A2A error.
pub(crate) fn refusal(error: &Error) -> Refusal {
    let status = error.kind.http_status();
    let (kind, code): (&'static str, &str) = match error.kind {
        ErrorKind::Unauthenticated => ("authentication_error", "invalid_api_key"),
        ErrorKind::Forbidden => ("permission_error", "insufficient_permissions"),
        ErrorKind::RateLimited => ("too_many_requests", "rate_limit_exceeded"),
        ErrorKind::AgentNotFound => ("not_found", "model_not_found"),
        ErrorKind::TaskNotFound => ("not_found", "response_not_found"),
        ErrorKind::PageNotFound => ("not_found", "not_found"),
        ErrorKind::BodyTooLarge => ("invalid_request_error", "request_too_large"),
        ErrorKind::Unavailable => ("server_error", "unavailable"),
        ErrorKind::Internal => ("server_error", "internal_error"),
        _ => ("invalid_request_error", error.code.code),
    };
    let param = error.violations.first().map(|violation| violation.field.clone());
    Refusal { status, kind, code: Some(code.to_owned()), param, message: said(&error.message, error.code) }
}

/// Message with hint and error code.
fn said(message: &str, code: ErrorCode) -> String {
    format!("{message}. {} ({})", code.hint, code.code)
}

/// Converts an engine error.
pub(super) fn from_engine(error: EngineError) -> Refusal {
    match error {
        EngineError::IdempotencyConflict(_) => Refusal {
            status: 409,
            kind: "conflict",
            code: Some("idempotency_key_in_use".to_owned()),
            param: Some("Idempotency-Key".to_owned()),
            message: said(&error.to_string(), error.code()),
        },
        EngineError::Invalid { code, ref detail, .. } => Refusal::invalid(code.code, "input", said(detail, code)),
        error => refusal(&reply::from_engine(error)),
    }
}

/// Converts a session error.
pub(super) fn from_session(error: SessionError) -> Refusal {
    match error {
        SessionError::Engine(error) => from_engine(error),
        error => Refusal::invalid(error.code().code, "input", said(&error.to_string(), error.code())),
    }
}

/// Error for a response that does not exist or belongs to another caller.
pub(super) fn no_response(id: &str) -> Refusal {
    let id: String = id.chars().take(128).collect();
    let message = said(&format!("There is no response '{id}'"), ErrorCode::RESPONSE_NOT_FOUND);
    Refusal { kind: "not_found", ..Refusal::not_found("response_not_found", "response_id", message) }
}

/// Error reply.
pub(super) fn reply_to(refusal: &Refusal) -> Response {
    let mut response = Response::new(Body::from(refusal.to_json()));
    *response.status_mut() = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if matches!(refusal.status, 429 | 503) {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}
