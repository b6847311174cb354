//! Baton's own span API: statistics, live tail and export.

mod entry;
mod export;
mod stats;
mod store;
mod tail;

use crate::state::TelemetryState;
use baton_api::{ApiError, ApiErrorKind, MissedSpans, SpanEntry, SpanStatsEntry, error_codes};
use baton_http::{ApiResource, Caller, RouteAccess, Routes};
use baton_rules::Access;
use baton_span_ports::SpanStore;
use std::sync::Arc;
pub(crate) use store::{NO_SPAN_STORE_MESSAGE, store, store_error};
pub(crate) use tail::MAX_TAILS;

const SPANS: ApiResource = ApiResource::new("spans", "Stored spans and new ones", &[]);

/// Adds the routes.
pub(crate) fn mount(routes: Routes<Arc<TelemetryState>>) -> Routes<Arc<TelemetryState>> {
    let read = RouteAccess::TelemetryRead;
    routes
        .operation(
            SPANS
                .get("/api/v1/spans/stats", read, "getSpanStats", "Show statistics and retention of the span store")
                .reply::<SpanStatsEntry>(),
            stats::show,
        )
        .operation(
            SPANS
                .get("/api/v1/spans/tail", read, "tailSpans", "Follow spans as they arrive")
                .note("The reply does not end. An event `missed` reports a gap, after a client has read too slowly.")
                .query::<tail::SpanTailParams>()
                .reply_text("text/event-stream")
                .event::<SpanEntry>("span")
                .event::<MissedSpans>("missed"),
            tail::tail,
        )
        .operation(
            SPANS
                .get("/api/v1/spans/export", read, "exportSpans", "Export stored spans")
                .note(
                    "Each line is an OTLP `ExportTraceServiceRequest` as JSON; empty lines keep the connection alive.",
                )
                .query::<export::SpanExportParams>()
                .reply_text("application/x-ndjson"),
            export::export,
        )
}

/// The span store. Requires `telemetry:read`, because it contains the spans of all agents and callers.
fn readable_store<'a>(shared: &'a TelemetryState, caller: &Caller) -> Result<&'a Arc<dyn SpanStore>, ApiError> {
    store(shared, caller, Access::TelemetryRead)?.ok_or_else(|| {
        ApiError::new(ApiErrorKind::UnsupportedOperation, error_codes::NOT_OFFERED, NO_SPAN_STORE_MESSAGE)
    })
}
