//! Sample spans and store queries.

use baton_span_ports::{SpanBatch, SpanStore, TimeRange, TraceSearchRequest};
use baton_spans::{EmbeddedSpanStore, SpanStoreOptions, TelemetryRetention};
use baton_traceql::{Mode, parse};
use baton_types::{
    Span, SpanClass, SpanDropCounts, SpanEvent, SpanId, SpanKind, SpanLink, SpanResource, SpanScope, SpanStatus,
    SpanValue, TraceId,
};
use std::{collections::BTreeSet, fs, path::Path, sync::Arc, time::Duration};

/// Spans per trace.
pub(crate) const PER_TRACE: u64 = 4;

/// The span with that number: four form a trace, and every fifth is remembered.
pub(crate) fn span(number: u64) -> Span {
    let class = if number.is_multiple_of(5) { SpanClass::Memory } else { SpanClass::Telemetry };
    let mut attributes =
        vec![("number".into(), SpanValue::from(number)), ("text".into(), SpanValue::from("some words"))];
    if class == SpanClass::Memory {
        attributes.push(("insight.type".into(), SpanValue::from("decision")));
    }
    let service = ["planner", "worker"][usize::try_from(number % 2).unwrap()];
    let span = Span {
        trace: trace_of(number),
        id: SpanId::derive(&["span", &number.to_string()]),
        parent: (!number.is_multiple_of(PER_TRACE)).then(|| SpanId::derive(&["span", "parent"])),
        trace_state: String::new(),
        flags: 1,
        name: "work".into(),
        kind: SpanKind::Internal,
        start: 1_000_000_000 + number * 1000,
        end: 1_000_000_500 + number * 1000,
        attributes,
        events: vec![SpanEvent { at: 5, name: "seen".into(), ..SpanEvent::default() }],
        links: vec![SpanLink {
            trace: trace_of(0),
            span: SpanId([1; 8]),
            trace_state: "a=b".to_owned(),
            attributes: vec![("how".into(), SpanValue::List(vec![SpanValue::Float(0.5), SpanValue::Empty]))],
            dropped_attributes: 1,
            flags: 0,
        }],
        status: SpanStatus::Ok,
        status_message: "well".to_owned(),
        dropped: SpanDropCounts { attributes: 1, events: 2, links: 3 },
        resource: Arc::new(SpanResource {
            attributes: vec![("service.name".into(), SpanValue::from(service))],
            ..SpanResource::default()
        }),
        scope: Arc::new(SpanScope { name: "suite".to_owned(), ..SpanScope::default() }),
    };
    assert_eq!(span.class(), class);
    span
}

pub(crate) fn trace_of(number: u64) -> TraceId {
    TraceId::derive(&["trace", &(number / PER_TRACE).to_string()])
}

/// A batch of the spans with these numbers.
pub(crate) fn batch(numbers: impl IntoIterator<Item = u64>) -> SpanBatch {
    SpanBatch { spans: numbers.into_iter().map(span).collect(), mark: None }
}

/// Small limits, so that flushes and merges happen soon; spans do not expire.
pub(crate) fn small() -> SpanStoreOptions {
    SpanStoreOptions {
        head_spans: 40,
        close_spans: usize::MAX,
        merged_spans: 400,
        retention: TelemetryRetention::default(),
        retention_period: Duration::from_secs(3600),
        ..SpanStoreOptions::default()
    }
}

pub(crate) fn open(directory: &Path, options: &SpanStoreOptions) -> Arc<EmbeddedSpanStore> {
    EmbeddedSpanStore::open(directory, options.clone()).unwrap()
}

/// Fails unless exactly these spans are found, each complete and once.
pub(crate) async fn check_all(store: &EmbeddedSpanStore, numbers: &BTreeSet<u64>, context: &str) {
    let found = found(store, numbers.iter().copied().max().unwrap_or(0) + 64).await;
    assert_eq!(&found, numbers, "{context}");
}

/// Numbers of all spans found below a number; each must be complete and occur once.
pub(crate) async fn found(store: &EmbeddedSpanStore, below: u64) -> BTreeSet<u64> {
    let mut numbers = BTreeSet::new();
    for first in (0..below).step_by(usize::try_from(PER_TRACE).unwrap()) {
        for found in store.trace(trace_of(first)).await.unwrap() {
            let number = found.attribute("number").and_then(SpanValue::as_int).unwrap();
            let number = u64::try_from(number).unwrap();
            assert_eq!(found, span(number));
            assert!(numbers.insert(number), "{number} is found twice");
        }
    }
    numbers
}

/// Number of traces that match the query.
pub(crate) async fn traces(store: &EmbeddedSpanStore, query: &str) -> usize {
    let query = Arc::new(parse(query, Mode::Strict).unwrap().query);
    let ask = TraceSearchRequest { query, range: TimeRange::ALL, limit: 10_000, spans_per_spanset: 3, aliases: false };
    let answer = store.search(ask).await.unwrap();
    assert!(!answer.partial);
    answer.traces.len()
}

/// Copies a directory in a consistent state while it may be changing.
pub(crate) fn copy(from: &Path, to: &Path) {
    for _ in 0..1000 {
        let _ = fs::remove_dir_all(to);
        let before = names(from, from);
        let copied = before.iter().all(|name| {
            let target = to.join(name);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            let source = from.join(name);
            if source.is_dir() { fs::create_dir_all(target).is_ok() } else { fs::copy(source, target).is_ok() }
        });
        if copied && names(from, from) == before {
            return;
        }
    }
    panic!("{} keeps changing", from.display());
}

/// All paths below a directory, relative to `root`.
pub(crate) fn names(root: &Path, directory: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        names.insert(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
        if path.is_dir() {
            names.extend(self::names(root, &path));
        }
    }
    names
}
