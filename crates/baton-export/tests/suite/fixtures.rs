//! Spans to export, and a span store with its exporter.

use baton_export::{ExportOptions, ExportTarget, ExportTiming, Exporter, OtlpProtocol, Route, Signal};
use baton_span_ports::{SpanBatch, SpanStore as _};
use baton_spans::{EmbeddedSpanStore, SpanStoreOptions};
use baton_types::{
    Span, SpanDropCounts, SpanEvent, SpanId, SpanKind, SpanResource, SpanScope, SpanStatus, SpanValue, TraceId,
};
use std::{ops::Range, path::Path, sync::Arc, time::Duration};

/// Name of the target.
pub(crate) const TARGET: &str = "collector";

/// The span with this number.
pub(crate) fn span(number: u64) -> Span {
    Span {
        trace: TraceId::derive(&["trace", &(number / 3).to_string()]),
        id: SpanId::derive(&["span", &number.to_string()]),
        parent: None,
        trace_state: "a=b".to_owned(),
        flags: 1,
        name: "work".into(),
        kind: SpanKind::Client,
        start: 1_000_000_000 + number,
        end: 2_000_000_000 + number,
        attributes: vec![("number".into(), SpanValue::from(number)), ("handoff.inputs".into(), SpanValue::from("{}"))],
        events: vec![SpanEvent {
            at: 5,
            name: "seen".into(),
            attributes: vec![("gen_ai.prompt.0.content".into(), SpanValue::from("secret"))],
            dropped_attributes: 0,
        }],
        links: Vec::new(),
        status: SpanStatus::Error,
        status_message: "badly".to_owned(),
        dropped: SpanDropCounts::default(),
        resource: Arc::new(SpanResource {
            attributes: vec![("service.name".into(), SpanValue::from("test"))],
            ..SpanResource::default()
        }),
        scope: Arc::new(SpanScope { name: "suite".to_owned(), ..SpanScope::default() }),
    }
}

/// The number of a span.
pub(crate) fn number(span: &Span) -> u64 {
    u64::try_from(span.attribute("number").and_then(SpanValue::as_int).unwrap()).unwrap()
}

/// Options that export everything to this URL.
pub(crate) fn to(url: &str, protocol: OtlpProtocol) -> ExportOptions {
    let route = Route::new(Route::signal_url(url, protocol, Signal::Traces), protocol);
    to_route(Route { timeout: Duration::from_secs(5), ..route })
}

/// Options that export everything by this route.
pub(crate) fn to_route(route: Route) -> ExportOptions {
    let routes = vec![(Signal::Traces, route)];
    let target = ExportTarget { name: TARGET.to_owned(), routes, content: None, is_default: false };
    let millis = Duration::from_millis;
    let pace = ExportTiming {
        batch_delay: millis(5),
        retry_delay: millis(20),
        max_retry_delay: millis(60),
        max_default_retry_delay: millis(60),
        ..ExportTiming::default()
    };
    ExportOptions {
        targets: vec![target],
        content: true,
        max_retained_bytes: 1 << 30,
        metrics_interval: millis(20),
        timing: pace,
    }
}

/// A span store with its exporter.
pub(crate) struct Sender {
    pub(crate) store: Arc<EmbeddedSpanStore>,
    pub(crate) exporter: Exporter,
}

impl Sender {
    /// Starts in this directory.
    pub(crate) fn start(directory: &Path, options: &ExportOptions) -> Self {
        let kept =
            SpanStoreOptions { head_spans: 200, log_retention: options.log_retention(), ..SpanStoreOptions::default() };
        let store = EmbeddedSpanStore::open(directory, kept).unwrap();
        let exporter = Exporter::start(&store, options);
        Self { store, exporter }
    }

    /// Stores the spans with these numbers.
    pub(crate) async fn keep(&self, numbers: Range<u64>) {
        let spans = numbers.map(span).collect();
        self.store.ingest(SpanBatch { spans, mark: None }).await.unwrap();
    }

    /// Numbers of sent and rejected spans.
    pub(crate) fn counted(&self) -> (u64, u64) {
        let counts = self.exporter.counts();
        (counts.sent(TARGET, Signal::Traces), counts.failed(TARGET, Signal::Traces))
    }

    /// Shuts down cleanly.
    pub(crate) async fn close(self) {
        self.store.close().await;
        self.exporter.close(Duration::from_secs(10)).await;
    }
}
