//! Collects emitted spans.

use baton_telemetry::{SpanOrigin, SpanSink, TelemetrySettings, Tracer};
use baton_types::{Span, SpanKind, SpanStatus, SpanValue};
use std::{
    fmt::Write as _,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

#[derive(Default)]
pub(super) struct SpanCollector {
    spans: Mutex<Vec<Span>>,
    count: AtomicU64,
}

impl SpanCollector {
    pub(super) fn tracer(self: &Arc<Self>) -> Tracer {
        Tracer::new(Arc::<Self>::clone(self), SpanOrigin::new(TelemetrySettings::default(), "test"))
    }

    /// Spans since the last call.
    pub(super) fn take(&self) -> Vec<Span> {
        std::mem::take(&mut self.spans.lock().unwrap())
    }

    /// The only span since the last call.
    pub(super) fn one(&self) -> Span {
        let mut spans = self.take();
        let span = spans.pop().unwrap();
        assert!(spans.is_empty(), "{spans:?} {span:?}");
        span
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

/// Kind, name, status and attributes of a span in one line.
pub(super) fn shown(span: &Span) -> String {
    let kind = match span.kind {
        SpanKind::Server => "SERVER",
        SpanKind::Internal => "INTERNAL",
        _ => "?",
    };
    let mut line = format!("{kind} '{}'", span.name);
    if span.status == SpanStatus::Error {
        let _ = write!(line, " ERROR");
    }
    let mut attributes = span.attributes.clone();
    attributes.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (key, value) in &attributes {
        let _ = match value {
            SpanValue::Text(text) => write!(line, " {key}={text}"),
            SpanValue::Int(number) => write!(line, " {key}={number}"),
            other => write!(line, " {key}={other:?}"),
        };
    }
    line
}
