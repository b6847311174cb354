//! Limits, budgets, time ranges, traces in several segments, tag names and values.

use super::{
    memory::Memory,
    naive::{dice::Dice, spans},
};
use crate::{
    search::{QueryBudget, search, tag_values, tags, trace},
    segment::Segment,
};
use baton_span_ports::{ServiceStats, TagsRequest, TimeRange, TraceSearchRequest, TraceSearchResult};
use baton_traceql::{AttributeRef, AttributeScope, Field, Mode, Query, parse};
use baton_types::{Span, SpanId, SpanResource, SpanStatus, SpanValue, TraceId};
use std::{
    slice::from_ref,
    sync::Arc,
    time::{Duration, Instant},
};

fn query(text: &str) -> Arc<Query> {
    Arc::new(parse(text, Mode::Strict).expect("a query").query)
}

pub(super) fn ask(text: &str) -> TraceSearchRequest {
    TraceSearchRequest { query: query(text), range: TimeRange::ALL, limit: 20, spans_per_spanset: 3, aliases: false }
}

pub(super) fn plenty() -> QueryBudget {
    QueryBudget::with_deadline(Instant::now() + Duration::from_secs(600))
}

pub(super) fn trace_id(number: u64) -> TraceId {
    let mut id = [0; 16];
    id[..8].copy_from_slice(&(number + 1).to_be_bytes());
    TraceId(id)
}

/// A span with a duration of ten nanoseconds.
pub(super) fn span(trace: u64, id: u64, parent: Option<u64>, start: u64) -> Span {
    let plain = spans::spans(&mut Dice::new(&[])).remove(0);
    Span {
        trace: trace_id(trace),
        id: SpanId(id.to_be_bytes()),
        parent: parent.map(|parent| SpanId(parent.to_be_bytes())),
        start,
        end: start + 10,
        ..plain
    }
}

pub(super) fn with(mut span: Span, key: &'static str, value: impl Into<SpanValue>) -> Span {
    span.attributes.push((key.into(), value.into()));
    span
}

fn starts(answer: &TraceSearchResult) -> Vec<u64> {
    answer.traces.iter().map(|trace| trace.start).collect()
}

/// A thousand traces distributed round-robin over five segments; the last one is a head.
fn round_robin() -> Vec<Arc<dyn Segment>> {
    let mut parts = vec![Vec::new(); 5];
    for number in 0..1_000 {
        let start = 1_000 + 20 * ((number * 7_919) % 1_000);
        parts[number as usize % 5].push(with(span(number, 1, None, start), "even", (start / 20) % 2 == 0));
    }
    let mut segments: Vec<_> = parts[..4].iter().map(|part| Memory::block(part)).collect();
    segments.push(Memory::head(&parts[4]));
    segments
}

#[test]
fn search_returns_newest_traces_and_reads_no_others() {
    let segments = round_robin();
    let answer = search(&segments, &TraceSearchRequest { limit: 7, ..ask("{ span.even = true }") }, &plenty()).unwrap();
    assert_eq!(starts(&answer), (0..7).map(|step| 1_000 + 20 * (998 - 2 * step)).collect::<Vec<_>>());
    assert_eq!((answer.inspected_traces, answer.partial), (7, false));

    let answer = search(&segments, &TraceSearchRequest { limit: 0, ..ask("{}") }, &plenty()).unwrap();
    assert_eq!(answer, TraceSearchResult::default());
}

#[test]
fn traces_with_equal_start_are_sorted_by_id() {
    let at_once = |numbers: &[u64]| numbers.iter().map(|number| span(*number, 1, None, 50)).collect::<Vec<_>>();
    let segments = [Memory::block(&at_once(&[5, 1, 4])), Memory::head(&at_once(&[3, 0, 2]))];
    let answer = search(&segments, &TraceSearchRequest { limit: 4, ..ask("{}") }, &plenty()).unwrap();
    assert_eq!(answer.traces.iter().map(|trace| trace.id).collect::<Vec<_>>(), [0, 1, 2, 3].map(trace_id));
}

/// The latest part of a trace is found early, but the trace started long ago: it must not displace newer ones.
#[test]
fn trace_age_is_the_start_of_its_first_span() {
    let old = [span(9, 1, None, 100)];
    let late = [span(9, 2, Some(1), 900), span(1, 1, None, 500)];
    let newer = [span(2, 1, None, 700), span(3, 1, None, 600)];
    let segments = [Memory::block(&old), Memory::block(&late), Memory::head(&newer)];
    let answer = search(&segments, &TraceSearchRequest { limit: 3, ..ask("{}") }, &plenty()).unwrap();
    assert_eq!(starts(&answer), [700, 600, 500]);
    let answer = search(&segments, &ask("{}"), &plenty()).unwrap();
    assert_eq!(starts(&answer), [700, 600, 500, 100]);
}

#[test]
fn exhausted_budget_marks_the_result_partial() {
    let segments = round_robin();
    let few = QueryBudget { traces: 10, ..plenty() };
    let answer = search(&segments, &ask("{ duration > 1h || span.even = true } | count() > 5"), &few).unwrap();
    assert_eq!((answer.inspected_traces, answer.partial, answer.traces.len()), (10, true, 0));
    let late = QueryBudget { deadline: Instant::now(), ..plenty() };
    let answer = search(&segments, &ask("{ span.even = true }"), &late).unwrap();
    assert_eq!((answer.partial, answer.traces.len()), (true, 0));
    let enough = QueryBudget { traces: 20, ..plenty() };
    assert!(!search(&segments, &ask("{ span.even = true }"), &enough).unwrap().partial);
}

#[test]
fn trace_in_three_segments_is_returned_once() {
    let web =
        Arc::new(SpanResource { attributes: vec![("service.name".into(), "web".into())], ..SpanResource::default() });
    let agent =
        Arc::new(SpanResource { attributes: vec![("service.name".into(), "agent".into())], ..SpanResource::default() });
    let root = Span { name: "ask".into(), resource: Arc::clone(&web), ..span(1, 1, None, 100) };
    let below = Span { resource: Arc::clone(&agent), ..with(span(1, 2, Some(1), 110), "step", 1_i64) };
    let leaf = Span { resource: agent, status: SpanStatus::Error, ..with(span(1, 3, Some(2), 120), "step", 2_i64) };
    let again = below.clone();
    let other = [span(2, 1, None, 130), with(span(3, 1, None, 90), "step", 2_i64)];
    let segments = [
        Memory::block(&[leaf.clone(), other[0].clone()]),
        Memory::head(&[root.clone(), again]),
        Memory::block(&[below.clone(), other[1].clone()]),
    ];
    let answer = search(&segments, &ask("{ name = \"ask\" } >> { span.step > 0 }"), &plenty()).unwrap();
    let [found] = &answer.traces[..] else { panic!("{answer:?}") };
    assert_eq!(found.id, trace_id(1));
    assert_eq!((found.root_service.as_str(), found.root_name.as_str()), ("web", "ask"));
    assert_eq!((found.start, found.duration), (100, 30));
    assert_eq!(
        found.services,
        [
            ("agent".to_owned(), ServiceStats { spans: 2, errors: 1 }),
            ("web".to_owned(), ServiceStats { spans: 1, errors: 0 })
        ]
    );
    let [set] = &found.spansets[..] else { panic!("{found:?}") };
    assert_eq!((set.matched, set.spans.iter().map(|span| span.id).collect::<Vec<_>>()), (2, vec![below.id, leaf.id]));
    assert!(set.spans[0].attributes.contains(&("step".into(), SpanValue::Int(1))));
    let shown = TraceSearchRequest { spans_per_spanset: 1, ..ask("{ span.step > 0 } | count() = 2") };
    let answer = search(&segments, &shown, &plenty()).unwrap();
    let set = &answer.traces[0].spansets[0];
    assert_eq!((set.matched, set.spans.len()), (2, 1));

    assert_eq!(trace(&segments, trace_id(1), &plenty()).unwrap(), [root, below, leaf]);
    assert_eq!(trace(&segments, trace_id(7), &plenty()).unwrap(), []);
}

/// The later version of a span is more complete.
#[test]
fn duplicate_span_that_ended_last_wins() {
    let first = span(1, 1, None, 100);
    let last = Span { end: 500, name: "done".into(), ..first.clone() };
    for (head, block) in [(&first, &last), (&last, &first)] {
        let segments = [Memory::head(from_ref(head)), Memory::block(from_ref(block))];
        assert_eq!(trace(&segments, trace_id(1), &plenty()).unwrap(), from_ref(&last));
    }
}

#[test]
fn time_range_includes_both_ends() {
    // The parts last from 100 to 110 and from 200 to 210; the selected span is in the first part only.
    let segments = [
        Memory::block(&[with(span(1, 1, None, 100), "here", true)]),
        Memory::block(&[span(1, 2, Some(1), 200), span(2, 1, None, 150)]),
    ];
    for (start, end, found) in [
        (0, 99, 0),
        (0, 100, 1),
        (105, 106, 1),
        (110, 120, 1),
        (111, 199, 0),
        (150, 200, 1),
        (205, 205, 1),
        (210, u64::MAX, 1),
        (211, u64::MAX, 0),
    ] {
        let asked = TraceSearchRequest { range: TimeRange { start, end }, ..ask("{ span.here = true }") };
        assert_eq!(search(&segments, &asked, &plenty()).unwrap().traces.len(), found, "{start} to {end}");
    }
}

pub(super) fn asked(query: Option<Arc<Query>>, range: TimeRange) -> TagsRequest {
    TagsRequest { query, range, limit: 100, aliases: false }
}

fn tagged() -> [Arc<dyn Segment>; 2] {
    let mut rich = with(with(span(1, 1, None, 100), "a", "x"), "b", 1_i64);
    rich.resource =
        Arc::new(SpanResource { attributes: vec![("service.name".into(), "web".into())], ..SpanResource::default() });
    rich.events.push(baton_types::SpanEvent { attributes: vec![("e".into(), true.into())], ..Default::default() });
    let common = |trace, start| with(span(trace, 1, None, start), "a", "y");
    [
        Memory::block(&[rich, common(2, 90)]),
        Memory::head(&[common(3, 200), common(4, 210), with(span(5, 1, None, 220), "c", 2.5)]),
    ]
}

#[test]
fn tag_names_are_filtered_by_scope_time_and_query() {
    let segments = tagged();
    let all = tags(&segments, &asked(None, TimeRange::ALL), &plenty()).unwrap();
    assert_eq!((all.span, all.resource), (vec!["a".into(), "b".into(), "c".into()], vec!["service.name".to_owned()]));
    assert_eq!((all.event, all.link), (vec!["e".to_owned()], Vec::new()));
    let late = tags(&segments, &asked(None, TimeRange { start: 215, end: u64::MAX }), &plenty()).unwrap();
    assert_eq!(late.span, ["a", "c"]);
    let first = TimeRange { start: 0, end: 95 };
    assert_eq!(tags(&segments, &asked(None, first), &plenty()).unwrap().span, ["a"]);
    let of_web = asked(Some(query("{ resource.service.name = \"web\" }")), TimeRange::ALL);
    assert_eq!(tags(&segments, &of_web, &plenty()).unwrap().span, ["a", "b"]);
    let one = TagsRequest { limit: 1, ..asked(None, TimeRange::ALL) };
    assert_eq!(tags(&segments, &one, &plenty()).unwrap().span, ["a"]);
}

#[test]
fn most_frequent_tag_value_comes_first() {
    let segments = tagged();
    let field = Field::Attribute(AttributeRef { scope: AttributeScope::Span, of_parent: false, name: "a".into() });
    let values = |ask: &TagsRequest| tag_values(&segments, &field, ask, &plenty()).unwrap();
    assert_eq!(values(&asked(None, TimeRange::ALL)), ["y".into(), "x".into()]);
    assert_eq!(values(&TagsRequest { limit: 1, ..asked(None, TimeRange::ALL) }), ["y".into()]);
    assert_eq!(values(&asked(Some(query("{ span.b = 1 }")), TimeRange::ALL)), ["x".into()]);
    assert_eq!(values(&asked(None, TimeRange { start: 0, end: 95 })), ["y".into()]);
    assert_eq!(values(&asked(Some(query("{ span.b = 7 }")), TimeRange::ALL)), []);
}
