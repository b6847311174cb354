//! Who may reach the store of spans, and what its errors mean to them.

use crate::{app::Shared, auth::Caller};
use baton_ports::{SpanStore, SpanStoreError};
use baton_rules::Access;
use baton_wire::a2a::v1::{Error, ErrorKind};
use std::sync::Arc;

/// What everybody is told where there is no store.
pub(crate) const KEEPS_NONE: &str = "this Baton keeps no spans";

/// The store, if there is one, for those who may do this with all agents: the spans of all of them are there.
pub(crate) fn store<'a>(
    shared: &'a Shared,
    caller: &Caller,
    access: Access,
) -> Result<Option<&'a Arc<dyn SpanStore>>, Error> {
    caller.may_everywhere(shared, access)?;
    Ok(shared.options.spans.as_ref().map(|ports| &ports.store))
}

/// What callers are told about an error of the store; those that time alone does not cure are for the operator, too.
pub(crate) fn refusal(error: &SpanStoreError) -> Error {
    let kind = match error {
        SpanStoreError::Busy => ErrorKind::RateLimited,
        SpanStoreError::Query(_) | SpanStoreError::TooLarge(_) => ErrorKind::InvalidParams,
        SpanStoreError::Unavailable(_) => ErrorKind::Unavailable,
        SpanStoreError::Corrupt(_) => ErrorKind::Internal,
    };
    if matches!(kind, ErrorKind::Unavailable | ErrorKind::Internal) {
        tracing::error!(code = error.code().code, %error, "the span store did not do what it was asked");
    }
    Error::new(kind, error.code(), error.to_string())
}
