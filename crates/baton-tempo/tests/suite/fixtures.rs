//! A manual clock, queries and spans.

use baton_span_ports::{SpanMetricsRequest, TagsRequest, TimeRange, TraceSearchRequest};
use baton_traceql::{Mode, Query, Steps, parse};
use baton_types::{
    AttributeKey, Clock, Span, SpanId, SpanKind, SpanResource, SpanScope, SpanStatus, SpanValue, Timestamp, TraceId,
};
use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

pub(crate) const SECOND: u64 = 1_000_000_000;

/// An arbitrary moment, in seconds.
pub(crate) const NOON: u64 = 1_794_830_400;

pub(crate) struct FakeClock(AtomicI64);

impl FakeClock {
    /// A clock at this second.
    pub(crate) fn at(second: u64) -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(i64::try_from(second * 1_000).expect("a moment"))))
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.0.fetch_add(i64::try_from(seconds * 1_000).expect("a time"), Ordering::SeqCst);
    }

    pub(crate) fn nanoseconds(&self) -> u64 {
        u64::try_from(self.0.load(Ordering::SeqCst)).expect("after the epoch") * 1_000_000
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
}

pub(crate) fn query(text: &str) -> Arc<Query> {
    Arc::new(parse(text, Mode::Strict).expect("a query").query)
}

pub(crate) fn search(text: &str) -> TraceSearchRequest {
    TraceSearchRequest { query: query(text), range: TimeRange::ALL, limit: 20, spans_per_spanset: 10, aliases: false }
}

pub(crate) fn metrics(text: &str, steps: Steps) -> SpanMetricsRequest {
    SpanMetricsRequest { query: query(text), steps, exemplars: 5, aliases: false }
}

pub(crate) fn tags() -> TagsRequest {
    TagsRequest { query: None, range: TimeRange::ALL, limit: 100, aliases: false }
}

pub(crate) fn trace_id(number: u8) -> TraceId {
    let mut id = [0; 16];
    id[15] = number;
    TraceId(id)
}

pub(crate) fn span_id(number: u8) -> SpanId {
    SpanId([0, 0, 0, 0, 0, 0, 0, number])
}

/// A span of one second; its parent is the span with the previous number, unless that is 0.
pub(crate) fn span(trace: u8, number: u8, start: u64, service: &str) -> Span {
    Span {
        trace: trace_id(trace),
        id: span_id(number),
        parent: (number > 1).then(|| span_id(number - 1)),
        trace_state: String::new(),
        flags: 1,
        name: AttributeKey::Owned(format!("work {number}")),
        kind: SpanKind::Internal,
        start,
        end: start + SECOND,
        attributes: vec![(AttributeKey::Borrowed("n"), SpanValue::Int(i64::from(number)))],
        events: Vec::new(),
        links: Vec::new(),
        status: SpanStatus::Unset,
        status_message: String::new(),
        dropped: baton_types::SpanDropCounts::default(),
        resource: Arc::new(SpanResource {
            attributes: vec![(AttributeKey::Borrowed("service.name"), SpanValue::from(service.to_owned()))],
            ..SpanResource::default()
        }),
        scope: Arc::new(SpanScope::default()),
    }
}
