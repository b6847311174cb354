//! Random spans and comparisons over few values, so that they often match.

use baton_traceql::{AttributeRef, AttributeScope, CompareOp, Comparison, Field, Intrinsic, Literal};
use baton_types::{
    AttributeKey, Attributes, Span, SpanDropCounts, SpanEvent, SpanId, SpanKind, SpanLink, SpanResource, SpanScope,
    SpanStatus, SpanValue, TraceId,
};
use proptest::{prelude::*, sample::select};
use std::sync::Arc;

/// Texts, two of which differ only beyond the indexed prefix.
pub(super) fn texts() -> Vec<String> {
    let long = "é".repeat(140);
    vec![String::new(), "a".into(), "ab".into(), "b".into(), format!("{long}1"), format!("{long}2"), format!("x{long}")]
}

fn text() -> impl Strategy<Value = SpanValue> {
    select(texts()).prop_map(SpanValue::from)
}

fn single() -> impl Strategy<Value = SpanValue> {
    prop_oneof![
        4 => text(),
        2 => select(vec![i64::MIN, -1, 0, 1, 2, 1 << 60, i64::MAX]).prop_map(SpanValue::Int),
        2 => select(vec![f64::NEG_INFINITY, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, f64::NAN]).prop_map(SpanValue::Float),
        1 => any::<bool>().prop_map(SpanValue::Bool),
    ]
}

/// Values with several elements; an index may return false positives for them.
fn several() -> impl Strategy<Value = SpanValue> {
    prop_oneof![
        prop::collection::vec(single(), 0..3).prop_map(SpanValue::List),
        Just(SpanValue::Bytes(vec![1])),
        Just(SpanValue::Map(vec![("m".into(), SpanValue::Int(1))])),
        Just(SpanValue::Empty),
    ]
}

fn attributes() -> impl Strategy<Value = Attributes> {
    let simple = prop::collection::btree_map(select(vec!["a", "b", "c"]), single(), 0..3);
    let lists = prop::option::weighted(0.2, several());
    (simple, lists).prop_map(|(simple, lists)| {
        let mut all: Attributes = simple.into_iter().map(|(key, value)| (AttributeKey::from(key), value)).collect();
        all.extend(lists.map(|value| (AttributeKey::from("l"), value)));
        all
    })
}

fn shared() -> impl Strategy<Value = (Arc<SpanResource>, Arc<SpanScope>)> {
    (attributes(), attributes(), select(texts()), select(texts())).prop_map(|(resource, scope, name, version)| {
        let mut attributes = resource;
        attributes.push(("service.name".into(), SpanValue::from(name.clone())));
        (
            Arc::new(SpanResource { attributes, ..Default::default() }),
            Arc::new(SpanScope { name, version, attributes: scope, ..Default::default() }),
        )
    })
}

fn event() -> impl Strategy<Value = SpanEvent> {
    (select(texts()), attributes()).prop_map(|(name, attributes)| SpanEvent {
        at: 5,
        name: name.into(),
        attributes,
        dropped_attributes: 0,
    })
}

fn link() -> impl Strategy<Value = SpanLink> {
    (1..4u8, attributes()).prop_map(|(number, attributes)| SpanLink {
        trace: TraceId([number; 16]),
        span: SpanId([number; 8]),
        trace_state: String::new(),
        attributes,
        dropped_attributes: 0,
        flags: 0,
    })
}

fn span() -> impl Strategy<Value = Span> {
    let ids = (1..12u8, any::<u64>(), any::<bool>());
    let times = (0..1000u64, select(vec![0, 1, 2, 500, 100_000]));
    let kinds = (
        select(vec![SpanKind::Unspecified, SpanKind::Server, SpanKind::Client]),
        select(vec![SpanStatus::Unset, SpanStatus::Ok, SpanStatus::Error]),
    );
    let words = (select(texts()), select(texts()));
    let inside = (attributes(), prop::collection::vec(event(), 0..3), prop::collection::vec(link(), 0..2));
    (ids, times, kinds, words, inside).prop_map(|(ids, times, kinds, words, inside)| Span {
        trace: TraceId([ids.0; 16]),
        id: SpanId(ids.1.to_be_bytes()),
        parent: ids.2.then_some(SpanId([1; 8])),
        trace_state: String::new(),
        flags: 1,
        name: words.0.into(),
        kind: kinds.0,
        start: times.0,
        end: times.0 + times.1,
        attributes: inside.0,
        events: inside.1,
        links: inside.2,
        status: kinds.1,
        status_message: words.1,
        dropped: SpanDropCounts::default(),
        resource: Arc::default(),
        scope: Arc::default(),
    })
}

/// Spans, including duplicates.
pub(super) fn spans(max_spans: usize) -> impl Strategy<Value = Vec<Span>> {
    let all = prop::collection::vec((span(), any::<prop::sample::Index>(), 0..8u8), 0..max_spans);
    (all, prop::collection::vec(shared(), 1..4)).prop_map(|(all, shared)| {
        let mut spans = Vec::new();
        for (mut span, index, again) in all {
            (span.resource, span.scope) = index.get(&shared).clone();
            if again == 0 {
                spans.push(span.clone());
            }
            spans.push(span);
        }
        spans
    })
}

/// Comparisons of all indexed fields.
pub(super) fn comparisons() -> Vec<Comparison> {
    let ops = [
        CompareOp::Equal,
        CompareOp::NotEqual,
        CompareOp::Less,
        CompareOp::LessEqual,
        CompareOp::Greater,
        CompareOp::GreaterEqual,
    ];
    let mut values: Vec<Literal> = texts().into_iter().map(Literal::Text).collect();
    values.extend([-1, 0, 1, 2, i64::MAX].map(Literal::Int));
    values.extend([-1.0, 0.0, 0.5, 1.5, 2.0, 1e300].map(Literal::Float));
    values.extend([Literal::Duration(500), Literal::Bool(true), Literal::Bool(false)]);
    values.extend([SpanKind::Server, SpanKind::Client].map(Literal::Kind));
    values.extend([SpanStatus::Unset, SpanStatus::Error].map(Literal::Status));
    let mut all = Vec::new();
    for field in fields() {
        for value in &values {
            all.extend(ops.map(|op| Comparison { field: field.clone(), op, value: value.clone() }));
        }
        for pattern in ["a.*", "b", "", "é+[12]"] {
            let value = Literal::Text(pattern.to_owned());
            let ops = [CompareOp::Matches, CompareOp::MatchesNot];
            all.extend(ops.map(|op| Comparison { field: field.clone(), op, value: value.clone() }));
        }
        for id in ["02020202020202020202020202020202", "0202020202020202", "2", "203"] {
            let value = Literal::Text(id.to_owned());
            all.push(Comparison { field: field.clone(), op: CompareOp::Equal, value });
        }
    }
    all
}

/// Indexed fields and some that are not indexed.
pub(super) fn fields() -> Vec<Field> {
    let scopes = [
        AttributeScope::Any,
        AttributeScope::Span,
        AttributeScope::Resource,
        AttributeScope::Event,
        AttributeScope::Link,
        AttributeScope::Instrumentation,
    ];
    let mut fields: Vec<Field> = Vec::new();
    for scope in scopes {
        fields.extend(["a", "l", "none"].map(|name| attribute(scope, name)));
    }
    fields.extend(
        [
            Intrinsic::Name,
            Intrinsic::Duration,
            Intrinsic::Kind,
            Intrinsic::Status,
            Intrinsic::StatusMessage,
            Intrinsic::EventName,
            Intrinsic::LinkTraceId,
            Intrinsic::LinkSpanId,
            Intrinsic::InstrumentationName,
            Intrinsic::InstrumentationVersion,
            Intrinsic::TraceId,
            Intrinsic::SpanId,
            Intrinsic::TraceDuration,
        ]
        .map(Field::Intrinsic),
    );
    fields
}

pub(super) fn attribute(scope: AttributeScope, name: &str) -> Field {
    Field::Attribute(AttributeRef { scope, of_parent: false, name: name.to_owned() })
}
