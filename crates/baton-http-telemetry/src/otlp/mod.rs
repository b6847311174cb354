//! OTLP ingest over HTTP and gRPC.
//!
//! `http.rs` and `grpc.rs` pass a request to `ingest.rs`, which decodes it within the limits and stores its spans;
//! `discard.rs` counts the other signals; `refusal.rs` encodes errors in the form that exporters handle.

mod discard;
mod grpc;
mod http;
mod ingest;
mod refusal;

use crate::state::TelemetryState;
use baton_http::{RouteAccess, RouteAgentSource, Routes};
pub(crate) use discard::DiscardedSignals;
pub(crate) use refusal::{encoding_of, error_response};
use std::sync::Arc;

/// Requires `call` on all agents: a sender can attribute spans to any agent.
const INGEST_ACCESS: RouteAccess = RouteAccess::Call(RouteAgentSource::Every);

/// Adds the paths that exporters use.
pub(crate) fn mount(routes: Routes<Arc<TelemetryState>>) -> Routes<Arc<TelemetryState>> {
    ["/v1", "/otlp/v1"]
        .iter()
        .fold(routes, |routes, base| {
            routes
                .post(&format!("{base}/traces"), INGEST_ACCESS, http::traces)
                .post(&format!("{base}/logs"), INGEST_ACCESS, discard::logs)
                .post(&format!("{base}/metrics"), INGEST_ACCESS, discard::metrics)
        })
        .post("/opentelemetry.proto.collector.trace.v1.TraceService/Export", INGEST_ACCESS, grpc::export)
        .post("/opentelemetry.proto.collector.logs.v1.LogsService/Export", INGEST_ACCESS, discard::logs_grpc)
        .post("/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", INGEST_ACCESS, discard::metrics_grpc)
}
