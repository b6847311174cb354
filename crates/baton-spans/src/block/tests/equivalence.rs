//! Segments of every kind return the same results as a naive evaluation of their random spans.

use super::{block, head, merged, naive, sample};
use crate::segment::Segment;
use baton_span_ports::TimeRange;
use baton_traceql::{Aliases, AttributeScope, Comparison, Field, SpanPredicate};
use baton_types::{Span, SpanValue, TraceId};
use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, BTreeSet};

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn segments_match_naive_evaluation(spans in sample::spans(50)) {
        let dir = tempfile::tempdir().unwrap();
        let spans = consistent(spans);
        let segments: Vec<Box<dyn Segment>> = vec![
            Box::new(head(&spans)),
            Box::new(block(dir.path(), "whole", &spans)),
            Box::new(merged(dir.path(), &spans, 3)),
        ];
        for segment in &segments {
            check_traces(segment.as_ref(), &spans);
            check_windows(segment.as_ref(), &spans);
            check_values(segment.as_ref(), &spans);
        }
        for comparison in sample::comparisons() {
            check_comparison(&segments, &spans, &comparison);
        }
        check_combinations(&segments, &spans);
    }
}

#[test]
fn both_zeros_and_nan_are_counted_as_values() {
    let dir = tempfile::tempdir().unwrap();
    let mut runner = TestRunner::deterministic();
    let mut span = sample::spans(2)
        .prop_filter("one", |spans| !spans.is_empty())
        .new_tree(&mut runner)
        .unwrap()
        .current()
        .remove(0);
    span.attributes =
        vec![("l".into(), SpanValue::List([-0.0, 0.0, f64::NAN, f64::NAN].map(SpanValue::Float).to_vec()))];
    let segments: [Box<dyn Segment>; 2] =
        [Box::new(head(&[span.clone()])), Box::new(block(dir.path(), "whole", &[span.clone()]))];
    for segment in &segments {
        check_values(segment.as_ref(), &[span.clone()]);
        let found = segment.values(&sample::attribute(AttributeScope::Span, "l"), None, 10).unwrap();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().all(|(_, count)| *count == 1), "{found:?}");
    }
}

/// Spans with an id that occurs more than once are replaced by the first such span.
fn consistent(spans: Vec<Span>) -> Vec<Span> {
    let mut first: BTreeMap<_, Span> = BTreeMap::new();
    spans.into_iter().map(|span| first.entry((span.trace, span.id)).or_insert(span).clone()).collect()
}

fn by_trace(spans: &[Span]) -> BTreeMap<TraceId, Vec<&Span>> {
    let mut traces: BTreeMap<TraceId, Vec<&Span>> = BTreeMap::new();
    for span in spans {
        let trace = traces.entry(span.trace).or_default();
        if !trace.iter().any(|other| other.id == span.id) {
            trace.push(span);
        }
    }
    traces
}

/// Spans that contain NaN are not equal to themselves; their debug text can be compared.
fn written(span: &Span) -> String {
    format!("{span:?}")
}

fn check_traces(segment: &dyn Segment, spans: &[Span]) {
    let traces = by_trace(spans);
    assert_eq!(segment.traces() as usize, traces.len());
    assert_eq!(segment.ordinal(TraceId([99; 16])).unwrap(), None);
    for (id, expected) in &traces {
        let ordinal = segment.ordinal(*id).unwrap().expect("a trace that was written");
        let part = segment.part(ordinal).unwrap();
        assert_eq!(part.id, *id);
        assert_eq!(part.start, expected.iter().map(|span| span.start).min().unwrap());
        assert_eq!(part.end, expected.iter().map(|span| span.end).max().unwrap());
        let mut found: Vec<String> = segment.spans(ordinal).unwrap().0.iter().map(written).collect();
        found.sort();
        if !segment.newest_first() {
            found.dedup();
        }
        let mut expected: Vec<String> = expected.iter().map(|span| written(span)).collect();
        expected.sort();
        assert_eq!(found, expected);
    }
    if segment.newest_first() {
        assert_eq!(segment.summary().spans, traces.values().map(|spans| spans.len() as u64).sum::<u64>());
        let starts: Vec<u64> = (0..segment.traces()).map(|ordinal| segment.part(ordinal).unwrap().start).collect();
        assert!(starts.is_sorted_by(|one, next| one >= next), "newest first: {starts:?}");
    }
}

fn check_windows(segment: &dyn Segment, spans: &[Span]) {
    for (start, end) in [(0, u64::MAX), (0, 0), (100, 200), (500, 500), (900, 100_500), (200_000, u64::MAX)] {
        let range = TimeRange { start, end };
        let window = segment.window(range).unwrap();
        assert!(window.end <= segment.traces());
        for id in by_trace(spans).keys() {
            let ordinal = segment.ordinal(*id).unwrap().unwrap();
            let part = segment.part(ordinal).unwrap();
            assert!(
                !range.overlaps(part.start, part.end) || window.contains(&ordinal),
                "{range:?} {window:?} {part:?}"
            );
        }
    }
}

fn ids(segment: &dyn Segment, ordinals: &RoaringBitmap) -> BTreeSet<TraceId> {
    ordinals.iter().map(|ordinal| segment.part(ordinal).unwrap().id).collect()
}

fn check_comparison(segments: &[Box<dyn Segment>], spans: &[Span], comparison: &Comparison) {
    let meets: Option<BTreeSet<TraceId>> = spans
        .iter()
        .map(|span| Some((span.trace, naive::holds(span, comparison)?)))
        .collect::<Option<Vec<_>>>()
        .map(|held| held.into_iter().filter(|(_, holds)| *holds).map(|(trace, _)| trace).collect());
    let exact = naive::is_exact(spans, comparison);
    for segment in segments {
        let found = segment.matching_traces(&SpanPredicate::Holds(comparison.clone()), Aliases::NONE).unwrap();
        let found = ids(segment.as_ref(), &found);
        match &meets {
            None => assert_eq!(found, by_trace(spans).into_keys().collect(), "{comparison:?}"),
            Some(meets) if exact => assert_eq!(&found, meets, "{comparison:?}"),
            Some(meets) => assert!(found.is_superset(meets), "{comparison:?}: {found:?} lacks some of {meets:?}"),
        }
    }
}

/// Conditions apply to one span; `Exists` finds a value under every alias.
fn check_combinations(segments: &[Box<dyn Segment>], spans: &[Span]) {
    let all = sample::comparisons();
    for (number, one) in all.iter().enumerate().step_by(37) {
        let other = &all[(number * 7 + 11) % all.len()];
        let both = [SpanPredicate::Holds(one.clone()), SpanPredicate::Holds(other.clone())];
        let held = |span: &Span| (naive::holds(span, one), naive::holds(span, other));
        let exact = naive::is_exact(spans, one) && naive::is_exact(spans, other);
        let expect = |which: fn(bool, bool) -> bool| -> BTreeSet<TraceId> {
            let met = |span: &&Span| {
                let (one, other) = held(span);
                which(one.unwrap_or(false), other.unwrap_or(false))
            };
            spans.iter().filter(met).map(|span| span.trace).collect()
        };
        let (and, or) = (expect(|one, other| one && other), expect(|one, other| one || other));
        for segment in segments {
            let meeting = |need| ids(segment.as_ref(), &segment.matching_traces(&need, Aliases::NONE).unwrap());
            let (found_and, found_or) =
                (meeting(SpanPredicate::All(both.to_vec())), meeting(SpanPredicate::Any(both.to_vec())));
            assert!(found_and.is_superset(&and) && found_or.is_superset(&or), "{both:?}");
            if exact {
                assert_eq!((found_and, found_or), (and.clone(), or.clone()), "{both:?}");
            }
        }
    }
    let aliases = Aliases(&[&["a", "b"]]);
    let field = sample::attribute(AttributeScope::Any, "b");
    let has = |span: &&Span| {
        let has = |name| {
            naive::values(span, &sample::attribute(AttributeScope::Any, name)).is_some_and(|found| !found.is_empty())
        };
        has("a") || has("b")
    };
    let having: BTreeSet<TraceId> = spans.iter().filter(has).map(|span| span.trace).collect();
    for segment in segments {
        let found = segment.matching_traces(&SpanPredicate::Exists(field.clone()), aliases).unwrap();
        assert_eq!(ids(segment.as_ref(), &found), having);
    }
}

fn check_values(segment: &dyn Segment, spans: &[Span]) {
    let distinct: Vec<&Span> = by_trace(spans).into_values().flatten().collect();
    let some: BTreeSet<TraceId> = by_trace(spans).into_keys().step_by(2).collect();
    let ordinals: RoaringBitmap = some.iter().map(|id| segment.ordinal(*id).unwrap().unwrap()).collect();
    for field in sample::fields() {
        if matches!(&field, Field::Intrinsic(intrinsic) if *intrinsic == baton_traceql::Intrinsic::TraceId) {
            continue;
        }
        for of in [None, Some(&ordinals)] {
            let mut expected: BTreeMap<String, u64> = BTreeMap::new();
            for span in distinct.iter().filter(|span| of.is_none() || some.contains(&span.trace)) {
                let values = naive::elements(naive::values(span, &field).unwrap_or_default());
                let returned =
                    values.iter().filter(|value| is_returned(value, &field)).map(|value| format!("{value:?}"));
                // A value in two places of a span counts in both.
                let places = !matches!(&field, Field::Attribute(attribute) if attribute.scope == AttributeScope::Any);
                let returned: Vec<String> =
                    if places { returned.collect::<BTreeSet<_>>().into_iter().collect() } else { returned.collect() };
                returned.into_iter().for_each(|value| *expected.entry(value).or_default() += 1);
            }
            let found = segment.values(&field, of, 10_000).unwrap();
            let found: BTreeMap<String, u64> =
                found.into_iter().map(|(value, count)| (format!("{value:?}"), count)).collect();
            let found_values: BTreeSet<&String> = found.keys().collect();
            assert_eq!(found_values, expected.keys().collect::<BTreeSet<_>>(), "{field:?}");
            if segment.newest_first()
                && !matches!(&field, Field::Attribute(attribute) if attribute.scope == AttributeScope::Any)
            {
                assert_eq!(found, expected, "{field:?}");
            }
        }
    }
}

/// Whether a value is returned by `values`: only values that a query can compare are.
fn is_returned(value: &SpanValue, field: &Field) -> bool {
    match value {
        SpanValue::Text(text) => {
            let silent = matches!(field, Field::Intrinsic(baton_traceql::Intrinsic::StatusMessage)) && text.is_empty();
            text.len() < 253 && !silent
        }
        SpanValue::Int(_) | SpanValue::Float(_) | SpanValue::Bool(_) => true,
        SpanValue::List(_) | SpanValue::Map(_) | SpanValue::Bytes(_) | SpanValue::Empty => false,
    }
}
