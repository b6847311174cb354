//! Baton's own span API: statistics, live tail and export.

mod entry;
mod export;
mod stats;
mod store;
mod tail;

use crate::state::TelemetryState;
use baton_api::error_codes;
use baton_api::{ApiError, ApiErrorKind};
use baton_http::{Caller, RouteAccess, Routes};
use baton_rules::Access;
use baton_span_ports::SpanStore;
use std::sync::Arc;
pub(crate) use store::{NO_SPAN_STORE_MESSAGE, store, store_error};
pub(crate) use tail::MAX_TAILS;

/// Adds the routes.
pub(crate) fn mount(routes: Routes<Arc<TelemetryState>>) -> Routes<Arc<TelemetryState>> {
    routes
        .get("/api/v1/spans/stats", RouteAccess::TelemetryRead, stats::show)
        .get("/api/v1/spans/tail", RouteAccess::TelemetryRead, tail::tail)
        .get("/api/v1/spans/export", RouteAccess::TelemetryRead, export::export)
}

/// The span store. Requires `telemetry:read`, because it contains the spans of all agents and callers.
fn readable_store<'a>(shared: &'a TelemetryState, caller: &Caller) -> Result<&'a Arc<dyn SpanStore>, ApiError> {
    store(shared, caller, Access::TelemetryRead)?.ok_or_else(|| {
        ApiError::new(ApiErrorKind::UnsupportedOperation, error_codes::NOT_OFFERED, NO_SPAN_STORE_MESSAGE)
    })
}
