//! Access to the span store for queries, with loop detection for forwarded ones.

use super::refusal::Refusal;
use crate::{app::Shared, auth::Caller, spans};
use baton_ports::{Onward, SpanStore, SpanStoreError, Trail};
use baton_rules::Access;
use http::HeaderMap;
use std::sync::Arc;

/// Target of a query.
pub(super) struct Asked {
    /// Store that answers it.
    pub(super) store: Arc<dyn SpanStore>,
    /// Whether the hop limit prevented forwarding to further stores.
    pub(super) cut_short: bool,
}

/// The store for a query. Requires `telemetry:read`. Forwarded queries are checked for loops and for the hop limit.
pub(super) fn store(shared: &Shared, caller: &Caller, headers: &HeaderMap) -> Result<Asked, Refusal> {
    let store = offered(shared, caller)?;
    let trail = Trail::read(headers.get_all(Trail::HEADER).iter().map(http::HeaderValue::as_bytes));
    let itself = Asked { store: Arc::clone(store), cut_short: false };
    if trail.is_empty() {
        return Ok(itself);
    }
    match store.passed_on(&trail) {
        Onward::Itself => Ok(itself),
        Onward::By(store) => Ok(Asked { store, cut_short: trail.goes_too_far() }),
        Onward::Nobody => {
            let reason = "the query was forwarded in a loop, or too often";
            Err(SpanStoreError::Unavailable(reason.to_owned()).into())
        }
    }
}

/// The store, without the forwarding checks.
pub(super) fn offered<'a>(shared: &'a Shared, caller: &Caller) -> Result<&'a Arc<dyn SpanStore>, Refusal> {
    spans::store(shared, caller, Access::TelemetryRead)?.ok_or_else(Refusal::not_offered)
}
