//! Who may ask about spans, and whom.

use super::refusal::Refusal;
use crate::{app::Shared, auth::Caller, spans};
use baton_ports::{Onward, SpanStore, SpanStoreError, Trail};
use baton_rules::Access;
use http::HeaderMap;
use std::sync::Arc;

/// Who answers a question.
pub(super) struct Asked {
    /// The store.
    pub(super) store: Arc<dyn SpanStore>,
    /// Whether others would have been asked, had not so many passed the question on already.
    pub(super) cut_short: bool,
}

/// The store, for those who may read telemetry. A question that others have passed on is not passed on in
/// circles, nor for ever.
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
            let reason = "the question has been here before, or was passed on too often";
            Err(SpanStoreError::Unavailable(reason.to_owned()).into())
        }
    }
}

/// The store, for those who only want to know that it is there.
pub(super) fn offered<'a>(shared: &'a Shared, caller: &Caller) -> Result<&'a Arc<dyn SpanStore>, Refusal> {
    spans::store(shared, caller, Access::TelemetryRead)?.ok_or_else(Refusal::not_offered)
}
