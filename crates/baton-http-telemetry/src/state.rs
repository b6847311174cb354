//! State of the telemetry handlers.

use crate::{ExportPorts, MeterPorts, otlp::DiscardedSignals, queries::QueryScheduler};
use baton_http::{HttpContext, Shares};
use baton_span_ports::SpanStore;
use std::{fmt, sync::Arc};

/// Ports behind the operations; an operation without its port reports that it is not offered.
#[derive(Clone, Debug, Default)]
pub struct TelemetryPorts {
    /// Span store and queries.
    pub spans: Option<SpanPorts>,
    /// Status of telemetry exports; `None` if nothing is exported.
    pub exports: Option<ExportPorts>,
    /// Metrics.
    pub meters: Option<MeterPorts>,
}

/// Access to the span store.
#[derive(Clone)]
pub struct SpanPorts {
    /// Span store, which also evaluates TraceQL.
    pub store: Arc<dyn SpanStore>,
}

impl fmt::Debug for SpanPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SpanPorts")
    }
}

/// State of the telemetry handlers.
pub(crate) struct TelemetryState {
    pub(crate) http: Arc<HttpContext>,
    pub(crate) ports: TelemetryPorts,
    /// Span subscriptions, separate from the streams so that they cannot exhaust those of task clients.
    pub(crate) tails: Shares,
    /// Span queries.
    pub(crate) queries: QueryScheduler,
    /// Counters of discarded OTLP metrics and logs.
    pub(crate) discarded: Arc<DiscardedSignals>,
}
