//! Access to the span store, and its error mapping.

use crate::{app::HttpState, auth::Caller};
use baton_rules::Access;
use baton_span_ports::{SpanStore, SpanStoreError};
use baton_wire::a2a::v1::{Error, ErrorKind};
use std::sync::Arc;

/// Error message if there is no store.
pub(crate) const NO_SPAN_STORE_MESSAGE: &str = "this server stores no spans";

/// The store, if there is one. Requires `access` on all agents, because it contains the spans of all of them.
pub(crate) fn store<'a>(
    shared: &'a HttpState,
    caller: &Caller,
    access: Access,
) -> Result<Option<&'a Arc<dyn SpanStore>>, Error> {
    caller.check_access_to_all(shared, access)?;
    Ok(shared.options.spans.as_ref().map(|ports| &ports.store))
}

/// Maps a store error to an API error. Errors that a retry cannot fix are also logged for the operator.
pub(crate) fn store_error(error: &SpanStoreError) -> Error {
    let kind = match error {
        SpanStoreError::Busy => ErrorKind::RateLimited,
        SpanStoreError::Query(_) | SpanStoreError::TooLarge(_) => ErrorKind::InvalidParams,
        SpanStoreError::Unavailable(_) => ErrorKind::Unavailable,
        SpanStoreError::Corrupt(_) => ErrorKind::Internal,
    };
    if matches!(kind, ErrorKind::Unavailable | ErrorKind::Internal) {
        tracing::error!(code = error.code().code, %error, "a span store operation failed");
    }
    Error::new(kind, error.code(), error.to_string())
}
