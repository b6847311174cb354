//! Errors of the engine as errors of the API.

use baton_api::{ApiError, ApiErrorKind};
use baton_engine::EngineError;
use baton_ports::JournalError;
use baton_types::{FieldViolation, Violations};

/// Maps an engine error to an API error.
pub(crate) fn from_engine(error: EngineError) -> ApiError {
    let (code, message) = (error.code(), error.to_string());
    let kind = match error {
        EngineError::AgentNotFound(_) => ApiErrorKind::AgentNotFound,
        EngineError::TaskNotFound(_) | EngineError::Journal(JournalError::Missing { .. }) => ApiErrorKind::TaskNotFound,
        EngineError::TaskFinished { .. } => ApiErrorKind::UnsupportedOperation,
        EngineError::NotCancelable { .. } => ApiErrorKind::TaskNotCancelable,
        EngineError::GenerationMismatch { .. } => ApiErrorKind::TaskGenerationMismatch,
        EngineError::IdempotencyConflict(_) => {
            return ApiError::invalid_params(violation("Idempotency-Key", message)).with_code(code);
        }
        EngineError::PushRefused(_) => return ApiError::invalid_params(violation("url", message)).with_code(code),
        EngineError::PushNotFound { .. } => ApiErrorKind::TaskNotFound,
        EngineError::Invalid { field, detail, .. } => {
            return ApiError::invalid_params(violation(&field, detail)).with_code(code);
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
        EngineError::Journal(_) => ApiErrorKind::Internal,
    };
    if matches!(kind, ApiErrorKind::Internal) {
        tracing::error!(code = code.code, %message, "a command failed");
    }
    ApiError::new(kind, code, message)
}

fn violation(field: &str, description: String) -> Violations {
    FieldViolation { field: field.to_owned(), description }.into()
}
