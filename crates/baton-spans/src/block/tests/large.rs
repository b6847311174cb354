//! Enough spans for many pages of values, traces and spans.

use super::{block, head, merged, sample};
use crate::segment::Segment;
use baton_traceql::{Aliases, AttributeScope, CompareOp, Comparison, Field, Intrinsic, Literal, SpanPredicate};
use baton_types::{Span, SpanDropCounts, SpanId, SpanKind, SpanStatus, SpanValue, TraceId};
use std::sync::Arc;

/// Three spans per trace, each with a unique value.
fn spans(traces: u64) -> Vec<Span> {
    let mut spans = Vec::new();
    for number in 0..traces * 3 {
        let trace = number % traces;
        let id = TraceId::derive(&[&trace.to_string()]);
        spans.push(Span {
            trace: id,
            id: SpanId::derive(&[&number.to_string()]),
            parent: None,
            trace_state: String::new(),
            flags: 1,
            name: "work".into(),
            kind: SpanKind::Internal,
            start: 1_000 + trace * 10,
            end: 1_000 + trace * 10 + number,
            attributes: vec![
                ("unique".into(), SpanValue::from(format!("{id}-{number}"))),
                ("few".into(), SpanValue::from(format!("value-{}", number % 7))),
                ("number".into(), SpanValue::Int(number as i64 * 3)),
            ],
            events: Vec::new(),
            links: Vec::new(),
            status: SpanStatus::Unset,
            status_message: String::new(),
            dropped: SpanDropCounts::default(),
            resource: Arc::default(),
            scope: Arc::default(),
        });
    }
    spans
}

fn holds(field: Field, op: CompareOp, value: Literal) -> SpanPredicate {
    SpanPredicate::Holds(Comparison { field, op, value })
}

#[test]
fn search_spans_many_pages() {
    let dir = tempfile::tempdir().unwrap();
    let traces = 2_000;
    let spans = spans(traces);
    let segments: [Box<dyn Segment>; 3] =
        [Box::new(head(&spans)), Box::new(block(dir.path(), "whole", &spans)), Box::new(merged(dir.path(), &spans, 4))];
    for segment in &segments {
        let found = |need: &SpanPredicate| segment.matching_traces(need, Aliases::NONE).unwrap();
        for span in spans.iter().step_by(97) {
            let unique = span.attribute("unique").and_then(SpanValue::as_text).unwrap().to_owned();
            let need =
                holds(sample::attribute(AttributeScope::Span, "unique"), CompareOp::Equal, Literal::Text(unique));
            let ordinal = segment.ordinal(span.trace).unwrap().unwrap();
            assert_eq!(found(&need).iter().collect::<Vec<_>>(), [ordinal]);
            assert_eq!(segment.spans(ordinal).unwrap().0.len(), 3);
            assert_eq!(segment.part(ordinal).unwrap().id, span.trace);
        }
        let number = sample::attribute(AttributeScope::Any, "number");
        let above = found(&holds(number.clone(), CompareOp::Greater, Literal::Int(3 * 5_500)));
        assert_eq!(above.len(), 499);
        let all = SpanPredicate::All(vec![
            holds(number.clone(), CompareOp::GreaterEqual, Literal::Float(3.0 * 5_500.0)),
            holds(sample::attribute(AttributeScope::Span, "few"), CompareOp::Equal, Literal::Text("value-3".into())),
            holds(Field::Intrinsic(Intrinsic::Duration), CompareOp::Less, Literal::Duration(5_600)),
        ]);
        assert_eq!(found(&all).len(), (5_500..5_600).filter(|number| number % 7 == 3).count() as u64);
        let few = segment.values(&sample::attribute(AttributeScope::Span, "few"), None, 3).unwrap();
        assert_eq!(few.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [858, 857, 857]);
        assert_eq!(segment.values(&number, None, 10).unwrap().len(), 10);
        let window = segment.window(baton_span_ports::TimeRange { start: 0, end: 1_500 }).unwrap();
        let expected = if segment.newest_first() { traces as u32 - 51..traces as u32 } else { 0..51 };
        assert_eq!(window, expected);
    }
}

#[test]
fn keys_beyond_the_index_limit_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let mut spans = spans(100);
    for (number, span) in spans.iter_mut().enumerate() {
        span.attributes.extend((0..20).map(|key| (format!("key-{}", number * 20 + key).into(), SpanValue::Int(1))));
    }
    let last = spans.last_mut().unwrap();
    last.status_message = "late".to_owned();
    let last = last.trace;
    for segment in [&head(&spans) as &dyn Segment, &block(dir.path(), "whole", &spans), &merged(dir.path(), &spans, 3)]
    {
        let ordinal = segment.ordinal(last).unwrap().unwrap();
        let key = sample::attribute(AttributeScope::Span, "key-5999");
        let equal = holds(key.clone(), CompareOp::Equal, Literal::Int(1));
        assert!(segment.matching_traces(&equal, Aliases::NONE).unwrap().contains(ordinal));
        assert!(segment.matching_traces(&SpanPredicate::Exists(key), Aliases::NONE).unwrap().contains(ordinal));
        assert!(segment.names().unwrap().len() <= crate::index::MAX_BLOCK_FIELDS);
        let name = holds(Field::Intrinsic(Intrinsic::Name), CompareOp::Equal, Literal::Text("other".into()));
        assert!(segment.matching_traces(&name, Aliases::NONE).unwrap().is_empty());
        let message = Field::Intrinsic(Intrinsic::StatusMessage);
        let late = holds(message, CompareOp::Equal, Literal::Text("late".into()));
        assert_eq!(segment.matching_traces(&late, Aliases::NONE).unwrap().iter().collect::<Vec<_>>(), [ordinal]);
    }
}
