//! Baton's own span API: statistics, live tail and export.

mod entry;
mod export;
mod stats;
mod store;
mod tail;

use crate::{
    app::HttpState,
    auth::Caller,
    routes::{RouteAccess, Routes},
};
use baton_rules::Access;
use baton_span_ports::SpanStore;
use baton_types::ErrorCode;
use baton_wire::a2a::v1::{Error, ErrorKind};
use std::sync::Arc;
pub(crate) use store::{NO_SPAN_STORE_MESSAGE, store, store_error};
pub(crate) use tail::MAX_TAILS;

/// Adds the routes.
pub(crate) fn mount(routes: Routes) -> Routes {
    routes
        .get("/api/v1/spans/stats", RouteAccess::TelemetryRead, stats::show)
        .get("/api/v1/spans/tail", RouteAccess::TelemetryRead, tail::tail)
        .get("/api/v1/spans/export", RouteAccess::TelemetryRead, export::export)
}

/// The span store. Requires `telemetry:read`, because it contains the spans of all agents and callers.
fn readable_store<'a>(shared: &'a HttpState, caller: &Caller) -> Result<&'a Arc<dyn SpanStore>, Error> {
    store(shared, caller, Access::TelemetryRead)?
        .ok_or_else(|| Error::new(ErrorKind::UnsupportedOperation, ErrorCode::NOT_OFFERED, NO_SPAN_STORE_MESSAGE))
}
