//! Access to the span store, and its error mapping.

use crate::state::TelemetryState;
use baton_api::{ApiError, ApiErrorKind};
use baton_http::Caller;
use baton_rules::Access;
use baton_span_ports::{SpanStore, SpanStoreError};
use std::sync::Arc;

/// Error message if there is no store.
pub(crate) const NO_SPAN_STORE_MESSAGE: &str = "this server stores no spans";

/// The store, if there is one. Requires `access` on all agents, because it contains the spans of all of them.
pub(crate) fn store<'a>(
    shared: &'a TelemetryState,
    caller: &Caller,
    access: Access,
) -> Result<Option<&'a Arc<dyn SpanStore>>, ApiError> {
    caller.check_access_to_all(&shared.http, access)?;
    Ok(shared.ports.spans.as_ref().map(|ports| &ports.store))
}

/// Maps a store error to an API error. Errors that a retry cannot fix are also logged for the operator.
pub(crate) fn store_error(error: &SpanStoreError) -> ApiError {
    let kind = match error {
        SpanStoreError::Busy => ApiErrorKind::RateLimited,
        SpanStoreError::Query(_) | SpanStoreError::TooLarge(_) => ApiErrorKind::InvalidParams,
        SpanStoreError::Unavailable(_) => ApiErrorKind::Unavailable,
        SpanStoreError::Corrupt(_) => ApiErrorKind::Internal,
    };
    if matches!(kind, ApiErrorKind::Unavailable | ApiErrorKind::Internal) {
        tracing::error!(code = error.code().code, %error, "a span store operation failed");
    }
    ApiError::new(kind, error.code(), error.to_string())
}
