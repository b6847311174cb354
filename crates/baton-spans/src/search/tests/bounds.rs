//! Traces and results that are too large, and exceeded deadlines.

use super::{
    answers::{ask, asked, plenty, span, trace_id, with},
    memory::Memory,
};
use crate::{
    block::{self, BlockInputs},
    head::SpanHead,
    search::{QueryBudget, search, tag_values, tags, trace},
    segment::Segment,
};
use baton_span_ports::{SpanStoreError, TagNames, TimeRange, TraceSearchRequest};
use baton_traceql::{AttributeRef, AttributeScope, Field};
use baton_types::{Span, SpanClass, SpanResource};
use std::{sync::Arc, time::Instant};

/// A hundred spans of trace 1, which started last, and one of trace 2.
fn fixed_id() -> Vec<Span> {
    let mut spans: Vec<Span> = (1..=100).map(|id| with(span(1, id, None, 500 + id), "n", id as i64)).collect();
    spans.push(span(2, 1, None, 100));
    spans
}

/// The spans in different layouts.
fn layouts(spans: &[Span], directory: &std::path::Path) -> Vec<Vec<Arc<dyn Segment>>> {
    let head = |spans: &[Span]| {
        let head = SpanHead::new(SpanClass::Telemetry);
        head.push(spans).expect("kept");
        head
    };
    let written = block::write(directory, &head(spans), BlockInputs::default()).expect("written");
    let (some, others) = spans.split_at(50);
    vec![
        vec![Arc::new(head(spans))],
        vec![Arc::new(written)],
        vec![Memory::block(some), Memory::head(others)],
        // Duplicate spans do not count twice.
        vec![Memory::block(spans), Memory::block(spans), Memory::head(spans)],
    ]
}

#[test]
fn oversized_trace_is_skipped_and_reported() {
    let directory = tempfile::tempdir().expect("a directory");
    let few_spans = QueryBudget { spans: 99, ..plenty() };
    let few_bytes = QueryBudget { bytes: 100 * size_of::<Span>(), ..plenty() };
    for segments in layouts(&fixed_id(), &directory.path().join("block")) {
        for budget in [&few_spans, &few_bytes] {
            let answer = search(&segments, &ask("{}"), budget).unwrap();
            assert_eq!(answer.traces.iter().map(|trace| trace.id).collect::<Vec<_>>(), [trace_id(2)]);
            assert_eq!((answer.partial, answer.inspected_traces), (true, 2));
            let refused = trace(&segments, trace_id(1), budget).unwrap_err();
            assert!(matches!(&refused, SpanStoreError::TooLarge(why) if why.contains("too large")), "{refused}");
            assert_eq!(trace(&segments, trace_id(2), budget).unwrap().len(), 1);
        }
        let enough = QueryBudget { spans: 100, ..plenty() };
        let answer = search(&segments, &ask("{}"), &enough).unwrap();
        assert_eq!((answer.traces.len(), answer.partial), (2, false));
        assert_eq!(trace(&segments, trace_id(1), &enough).unwrap().len(), 100);
    }
}

/// A resource shared by several spans counts once towards the limit.
#[test]
fn shared_resource_counts_once() {
    let attributes = vec![("text".into(), "x".repeat(10_000).into())];
    let shared = |of: &Arc<SpanResource>, id| Span { resource: Arc::clone(of), ..span(1, id, None, id) };
    let one = Arc::new(SpanResource { attributes, ..SpanResource::default() });
    let budget = QueryBudget { bytes: 50_000, ..plenty() };
    let together: Vec<Span> = (1..=20).map(|id| shared(&one, id)).collect();
    assert_eq!(trace(&[Memory::block(&together)], trace_id(1), &budget).unwrap().len(), 20);
    let apart: Vec<Span> = (1..=20).map(|id| shared(&Arc::new((*one).clone()), id)).collect();
    assert!(trace(&[Memory::block(&apart)], trace_id(1), &budget).is_err());
}

#[test]
fn result_size_is_limited() {
    let segments = [Memory::block(&fixed_id())];
    let each = TraceSearchRequest { spans_per_spanset: 1_000, ..ask("{} | by(span:id) | select(span.n)") };
    let few_sets = QueryBudget { spansets: 10, ..plenty() };
    let answer = search(&segments, &each, &few_sets).unwrap();
    assert_eq!(answer.traces.iter().map(|trace| trace.spansets.len()).collect::<Vec<_>>(), [10, 1]);
    assert!(answer.partial);

    for text in ["{} | by(span:id) | select(span.n)", "{} | select(span.n)"] {
        let little = QueryBudget { result_bytes: 8_000, ..plenty() };
        let answer =
            search(&segments, &TraceSearchRequest { query: ask(text).query, ..each.clone() }, &little).unwrap();
        let [first] = &answer.traces[..] else { panic!("{answer:?}") };
        let spans = first.spansets.iter().map(|set| set.spans.len()).sum::<usize>();
        assert!((5..80).contains(&spans), "{spans}");
        assert!(answer.partial);
    }
    let answer = search(&segments, &each, &plenty()).unwrap();
    assert_eq!((answer.partial, answer.traces[0].spansets.len()), (false, 100));
}

#[test]
fn exceeded_deadline_returns_no_tag_names_or_values() {
    let segments = [Memory::block(&fixed_id()), Memory::head(&fixed_id())];
    let late = QueryBudget { deadline: Instant::now(), ..plenty() };
    let n = Field::Attribute(AttributeRef { scope: AttributeScope::Span, of_parent: false, name: "n".into() });
    for query in [None, Some(ask("{ span.n > 3 }").query)] {
        let ask = asked(query, TimeRange::ALL);
        assert_eq!(tags(&segments, &ask, &late).unwrap(), TagNames::default());
        assert_eq!(tag_values(&segments, &n, &ask, &late).unwrap(), []);
        assert_eq!(tags(&segments, &ask, &plenty()).unwrap().span, ["n"]);
        assert!(tag_values(&segments, &n, &ask, &plenty()).unwrap().len() > 90);
    }
}
