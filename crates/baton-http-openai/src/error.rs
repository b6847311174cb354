//! The only place where errors are converted to OpenAI error replies.

use crate::error_codes;
use axum::{body::Body, response::Response};
use baton_api::{ApiError, ApiErrorKind};
use baton_engine::{EngineError, SessionError};
use baton_responses::OpenAiError;
use baton_types::ErrorCode;
use http::{HeaderValue, StatusCode, header};

use baton_ports::JournalError;

/// Converts an error that is not specific to the OpenAI API.
pub(crate) fn from_error(error: &ApiError) -> OpenAiError {
    let status = error.kind.http_status();
    let (kind, code): (&'static str, &str) = match error.kind {
        ApiErrorKind::Unauthenticated => ("authentication_error", "invalid_api_key"),
        ApiErrorKind::Forbidden => ("permission_error", "insufficient_permissions"),
        ApiErrorKind::RateLimited => ("too_many_requests", "rate_limit_exceeded"),
        ApiErrorKind::AgentNotFound => ("not_found", "model_not_found"),
        ApiErrorKind::TaskNotFound => ("not_found", "response_not_found"),
        ApiErrorKind::PageNotFound => ("not_found", "not_found"),
        ApiErrorKind::BodyTooLarge => ("invalid_request_error", "request_too_large"),
        ApiErrorKind::Unavailable => ("server_error", "unavailable"),
        ApiErrorKind::Internal => ("server_error", "internal_error"),
        _ => ("invalid_request_error", error.code.code),
    };
    let param = error.violations.first().map(|violation| violation.field.clone());
    OpenAiError {
        status,
        kind,
        code: Some(code.to_owned()),
        param,
        message: format_message(&error.message, error.code),
    }
}

/// Message with hint and error code.
fn format_message(message: &str, code: ErrorCode) -> String {
    format!("{message}. {} ({})", code.hint, code.code)
}

/// Converts an engine error.
pub(super) fn from_engine(error: EngineError) -> OpenAiError {
    match error {
        EngineError::IdempotencyConflict(_) => OpenAiError {
            status: 409,
            kind: "conflict",
            code: Some("idempotency_key_in_use".to_owned()),
            param: Some("Idempotency-Key".to_owned()),
            message: format_message(&error.to_string(), error.code()),
        },
        EngineError::Invalid { code, ref detail, .. } => {
            OpenAiError::invalid(code.code, "input", format_message(detail, code))
        }
        error => from_error(&common_error(&error)),
    }
}

/// Errors of the engine that OpenAI's API does not distinguish from those of other protocols.
fn common_error(error: &EngineError) -> ApiError {
    let kind = match error {
        EngineError::AgentNotFound(_) => ApiErrorKind::AgentNotFound,
        EngineError::TaskNotFound(_)
        | EngineError::PushNotFound { .. }
        | EngineError::Journal(JournalError::Missing { .. }) => ApiErrorKind::TaskNotFound,
        EngineError::TaskFinished { .. } => ApiErrorKind::UnsupportedOperation,
        EngineError::NotCancelable { .. } => ApiErrorKind::TaskNotCancelable,
        EngineError::GenerationMismatch { .. } => ApiErrorKind::TaskGenerationMismatch,
        EngineError::IdempotencyConflict(_) | EngineError::PushRefused(_) | EngineError::Invalid { .. } => {
            ApiErrorKind::InvalidParams
        }
        EngineError::ShuttingDown
        | EngineError::Journal(
            JournalError::Busy
            | JournalError::Unavailable(_)
            | JournalError::Conflict { .. }
            | JournalError::StaleEpoch { .. }
            | JournalError::Leased { .. }
            | JournalError::Claimed { .. },
        ) => ApiErrorKind::Unavailable,
        EngineError::Journal(_) => {
            tracing::error!(code = error.code().code, %error, "a command failed");
            ApiErrorKind::Internal
        }
    };
    ApiError::new(kind, error.code(), error.to_string())
}

/// Converts a session error.
pub(super) fn from_session(error: SessionError) -> OpenAiError {
    match error {
        SessionError::Engine(error) => from_engine(error),
        error => OpenAiError::invalid(error.code().code, "input", format_message(&error.to_string(), error.code())),
    }
}

/// Error for a response that does not exist or belongs to another caller.
pub(super) fn no_response(id: &str) -> OpenAiError {
    let id: String = id.chars().take(128).collect();
    let message = format_message(&format!("There is no response '{id}'"), error_codes::RESPONSE_NOT_FOUND);
    OpenAiError { kind: "not_found", ..OpenAiError::not_found("response_not_found", "response_id", message) }
}

/// Error reply.
pub(super) fn error_reply(refusal: &OpenAiError) -> Response {
    let mut response = Response::new(Body::from(refusal.to_json()));
    *response.status_mut() = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if matches!(refusal.status, 429 | 503) {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}
