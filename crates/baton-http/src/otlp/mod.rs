//! OTLP in: spans of whoever exports them, over HTTP and gRPC.
//!
//! `http.rs` and `grpc.rs` bring a request to `ingest.rs`, which reads it within the bounds and keeps its spans;
//! `refusal.rs` says what went wrong in the words that exporters act on.

mod grpc;
mod http;
mod inflate;
mod ingest;
mod refusal;

use crate::app::Shared;
use axum::{Router, routing::post};
pub(crate) use refusal::{encoding_of, refusal};
use std::sync::Arc;

/// Adds the paths that exporters use.
pub(crate) fn mount(router: Router<Arc<Shared>>) -> Router<Arc<Shared>> {
    ["/v1", "/otlp/v1"]
        .iter()
        .fold(router, |router, base| {
            router
                .route(&format!("{base}/traces"), post(http::traces))
                .route(&format!("{base}/logs"), post(http::later))
                .route(&format!("{base}/metrics"), post(http::later))
        })
        .route("/opentelemetry.proto.collector.trace.v1.TraceService/Export", post(grpc::export))
}
