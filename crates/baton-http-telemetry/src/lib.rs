//! Telemetry over HTTP: OTLP ingest, the Tempo API, spans, export status and metrics.
//!
//! This crate must never store a span itself or decide whether a trace matches: it decodes requests, calls the span
//! store port and encodes results.
//!
//! Read first: [`routes`] (the operation table), [`TelemetryPorts`] (the ports behind it), `otlp/mod.rs` and
//! `tempo/mod.rs` (the two protocols).

mod exports;
mod meters;
mod otlp;
mod queries;
mod spans;
mod state;
mod tempo;

pub use exports::ExportPorts;
pub use meters::MeterPorts;
pub use state::{SpanPorts, TelemetryPorts};

use axum::response::Response;
use baton_api::ApiError;
use baton_http::{ErrorFormat, HttpContext, RequestHead, RouteEntry, Routes, SurfaceRoutes};
use baton_otlp::Encoding;
use queries::QueryScheduler;
use state::TelemetryState;
use std::sync::Arc;

/// The telemetry routes.
pub fn routes(http: &Arc<HttpContext>, ports: TelemetryPorts) -> SurfaceRoutes {
    let discarded = Arc::<otlp::DiscardedSignals>::default();
    if let Some(ports) = &ports.meters {
        ports.meters.add_source(Arc::<otlp::DiscardedSignals>::clone(&discarded));
    }
    let tails = http.share_pool(spans::MAX_TAILS);
    mounted(http).with_state(Arc::new(TelemetryState {
        http: Arc::clone(http),
        ports,
        tails,
        queries: QueryScheduler::new(),
        discarded,
    }))
}

/// The operation table of these routes.
pub fn operations(http: &Arc<HttpContext>) -> Vec<RouteEntry> {
    mounted(http).entries().to_vec()
}

fn mounted(http: &Arc<HttpContext>) -> Routes<Arc<TelemetryState>> {
    let routes = otlp::mount(Routes::new(http));
    exports::mount(meters::mount(spans::mount(tempo::mount(routes))))
}

/// Errors for OTLP exporters and Tempo clients.
pub struct TelemetryErrors;

impl ErrorFormat for TelemetryErrors {
    fn error_response(&self, head: RequestHead<'_>, error: &ApiError) -> Option<Response> {
        if head.is_grpc() {
            return None;
        }
        let path = head.uri.path();
        if matches!(path.strip_prefix("/otlp").unwrap_or(path), "/v1/traces" | "/v1/logs" | "/v1/metrics") {
            let encoding = otlp::encoding_of(head.headers).unwrap_or(Encoding::Json);
            return Some(otlp::error_response(encoding, error));
        }
        path.starts_with("/tempo/").then(|| tempo::error_response(error))
    }
}
