//! Access to the span store for queries, with loop detection for forwarded ones.

use super::refusal::TempoRejection;
use crate::{spans, state::TelemetryState};
use baton_http::Caller;
use baton_rules::Access;
use baton_span_ports::{ForwardTarget, HopList, SpanStore, SpanStoreError};
use http::HeaderMap;
use std::sync::Arc;

/// Target of a query.
pub(super) struct TempoQueryTarget {
    /// Store that answers it.
    pub(super) store: Arc<dyn SpanStore>,
    /// Whether the hop limit prevented forwarding to further stores.
    pub(super) hop_limit_reached: bool,
}

/// The store for a query. Requires `telemetry:read`. Forwarded queries are checked for loops and for the hop limit.
pub(super) fn store(
    shared: &TelemetryState,
    caller: &Caller,
    headers: &HeaderMap,
) -> Result<TempoQueryTarget, TempoRejection> {
    let store = local_store(shared, caller)?;
    let hops = HopList::parse(headers.get_all(HopList::HEADER).iter().map(http::HeaderValue::as_bytes));
    let itself = TempoQueryTarget { store: Arc::clone(store), hop_limit_reached: false };
    if hops.is_empty() {
        return Ok(itself);
    }
    match store.forwarding(&hops) {
        ForwardTarget::Local => Ok(itself),
        ForwardTarget::Delegate(store) => Ok(TempoQueryTarget { store, hop_limit_reached: hops.is_exhausted() }),
        ForwardTarget::Rejected => {
            let reason = "the query was forwarded in a loop, or too often";
            Err(SpanStoreError::Unavailable(reason.to_owned()).into())
        }
    }
}

/// The store, without the forwarding checks.
pub(super) fn local_store<'a>(
    shared: &'a TelemetryState,
    caller: &Caller,
) -> Result<&'a Arc<dyn SpanStore>, TempoRejection> {
    spans::store(shared, caller, Access::TelemetryRead)?.ok_or_else(TempoRejection::not_offered)
}
