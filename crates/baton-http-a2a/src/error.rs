//! The only place where errors become A2A errors.

use baton_api::{ApiError, ApiErrorKind};
use baton_engine::EngineError;
use baton_ports::JournalError;
use baton_types::{FieldViolation, Violations};
use baton_wire::a2a::v1::{Error, ErrorKind};

/// Maps an engine error to an A2A error.
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

/// Converts an error of the shared HTTP server.
pub(crate) fn from_api(error: ApiError) -> Error {
    let ApiError { kind, code, message, violations } = error;
    Error { kind: error_kind(kind), code, message, violations }
}

fn error_kind(kind: ApiErrorKind) -> ErrorKind {
    match kind {
        ApiErrorKind::TaskNotFound => ErrorKind::TaskNotFound,
        ApiErrorKind::TaskNotCancelable => ErrorKind::TaskNotCancelable,
        ApiErrorKind::TaskGenerationMismatch => ErrorKind::TaskGenerationMismatch,
        ApiErrorKind::UnsupportedOperation => ErrorKind::UnsupportedOperation,
        ApiErrorKind::UnsupportedMediaType => ErrorKind::UnsupportedMediaType,
        ApiErrorKind::Parse => ErrorKind::Parse,
        ApiErrorKind::InvalidRequest => ErrorKind::InvalidRequest,
        ApiErrorKind::InvalidParams => ErrorKind::InvalidParams,
        ApiErrorKind::AgentNotFound => ErrorKind::AgentNotFound,
        ApiErrorKind::PageNotFound => ErrorKind::PageNotFound,
        ApiErrorKind::MethodNotAllowed => ErrorKind::MethodNotAllowed,
        ApiErrorKind::Unauthenticated => ErrorKind::Unauthenticated,
        ApiErrorKind::Forbidden => ErrorKind::Forbidden,
        ApiErrorKind::RateLimited => ErrorKind::RateLimited,
        ApiErrorKind::BodyTooLarge => ErrorKind::BodyTooLarge,
        ApiErrorKind::Unavailable => ErrorKind::Unavailable,
        ApiErrorKind::Internal => ErrorKind::Internal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_keep_their_status_and_reason() {
        for kind in [
            ApiErrorKind::TaskNotFound,
            ApiErrorKind::TaskNotCancelable,
            ApiErrorKind::TaskGenerationMismatch,
            ApiErrorKind::UnsupportedOperation,
            ApiErrorKind::UnsupportedMediaType,
            ApiErrorKind::Parse,
            ApiErrorKind::InvalidRequest,
            ApiErrorKind::InvalidParams,
            ApiErrorKind::AgentNotFound,
            ApiErrorKind::PageNotFound,
            ApiErrorKind::MethodNotAllowed,
            ApiErrorKind::Unauthenticated,
            ApiErrorKind::Forbidden,
            ApiErrorKind::RateLimited,
            ApiErrorKind::BodyTooLarge,
            ApiErrorKind::Unavailable,
            ApiErrorKind::Internal,
        ] {
            let converted = error_kind(kind);
            assert_eq!((converted.http_status(), converted.reason()), (kind.http_status(), kind.reason()), "{kind:?}");
        }
    }
}
