//! Error codes of answers that the client finds missing.

pub(crate) use baton_api::error_codes::NOT_OFFERED;
use baton_types::ErrorCode;

baton_types::error_codes! {
    TRACE_NOT_FOUND = "BTN-2025", "There is no such trace", "Find trace ids with `baton trace query`; telemetry that is older than its retention is deleted.";
}

/// The error code with this text, if it is a shared one, one of the HTTP API or one of this crate. A server can send
/// others.
pub(crate) fn find(code: &str) -> Option<&'static ErrorCode> {
    [ErrorCode::SHARED_CODES, baton_api::error_codes::ALL, ALL].into_iter().flatten().find(|known| known.code == code)
}
