//! A sink that collects emitted spans.

use baton_telemetry::{SpanOrigin, SpanSink, TelemetrySettings, Tracer};
use baton_types::{Span, SpanKind, SpanStatus, SpanValue, TraceContext};
use std::{
    fmt::Write as _,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

/// Trace context of the caller.
pub(crate) const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[derive(Default)]
pub(crate) struct SpanCollector {
    spans: Mutex<Vec<Span>>,
    count: AtomicU64,
}

impl SpanCollector {
    pub(crate) fn tracer(self: &Arc<Self>) -> Tracer {
        Tracer::new(Arc::<Self>::clone(self), SpanOrigin::new(TelemetrySettings::default(), "test"))
    }

    pub(crate) fn take(&self) -> Vec<Span> {
        std::mem::take(&mut self.spans.lock().unwrap())
    }
}

impl SpanSink for SpanCollector {
    fn emit(&self, span: Span) {
        self.spans.lock().unwrap().push(span);
    }

    fn now(&self) -> u64 {
        self.count.fetch_add(1, Ordering::Relaxed)
    }

    fn random_bytes(&self) -> [u8; 16] {
        (u128::from(self.count.fetch_add(1, Ordering::Relaxed)) + 1).to_be_bytes()
    }
}

/// The `traceparent` of children of a span.
pub(crate) fn context(span: &Span) -> String {
    TraceContext::new(span.trace, span.id).to_string()
}

/// One line per span.
pub(crate) fn shown(span: &Span) -> String {
    assert_eq!(span.kind, SpanKind::Client);
    let mut line = format!("'{}'{}", span.name, if span.status == SpanStatus::Error { " ERROR" } else { "" });
    for (key, value) in &span.attributes {
        let _ = match value {
            SpanValue::Text(text) => write!(line, " {key}={text}"),
            other => write!(line, " {key}={}", other.as_int().unwrap()),
        };
    }
    line
}
