//! Generators of small traces and queries over few names and values, so that many of them match.

use baton_traceql::{
    Aggregate, AggregateOp, ArithmeticOp, AttributeRef, AttributeScope, BinaryOp, CompareOp, Field, FieldExpr,
    Intrinsic, Literal, PipelineExpr, PipelineStage, Query, Root, Scalar, ScalarFilter, SpansetExpr, SpansetOp,
    TraceSpans, UnaryOp,
};
use baton_types::{
    AttributeKey, Attributes, Span, SpanDropCounts, SpanEvent, SpanId, SpanKind, SpanLink, SpanResource, SpanScope,
    SpanStatus, SpanValue, TraceId,
};
use proptest::{collection::vec, option, prelude::*, sample::select};
use std::sync::Arc;

const KINDS: [SpanKind; 3] = [SpanKind::Internal, SpanKind::Server, SpanKind::Client];
const STATUSES: [SpanStatus; 3] = [SpanStatus::Unset, SpanStatus::Ok, SpanStatus::Error];

/// Operators with exact results on the generated numbers, so that sums do not depend on the order.
const EXACT: [ArithmeticOp; 5] =
    [ArithmeticOp::Add, ArithmeticOp::Subtract, ArithmeticOp::Multiply, ArithmeticOp::Divide, ArithmeticOp::Modulo];
const POWER: [ArithmeticOp; 1] = [ArithmeticOp::Power];

/// Up to seven spans whose parents may be missing, their own children or themselves.
pub(crate) fn traces() -> impl Strategy<Value = TraceSpans> {
    vec((span(), prop::bool::weighted(0.6)), 0..8).prop_map(|spans| {
        let numbered = |(index, (mut span, chained)): (usize, (Span, bool))| {
            let number = index as u8 + 1;
            span.id = id(number);
            if chained && index > 0 {
                span.parent = Some(id(number - 1));
            }
            span
        };
        // Not sorted by id or time.
        TraceSpans { spans: spans.into_iter().enumerate().map(numbered).rev().collect() }
    })
}

fn id(number: u8) -> SpanId {
    SpanId([0, 0, 0, 0, 0, 0, 0, number])
}

fn span() -> impl Strategy<Value = Span> {
    let times = (0..5_u64, 0..4_u64, option::of(1..10_u8));
    let words = (select(vec!["n", "m"]), select(KINDS.to_vec()), select(STATUSES.to_vec()));
    let lists =
        (attributes(), attributes(), attributes(), vec((0..3_u64, attributes()), 0..3), vec(attributes(), 0..2));
    (times, words, lists).prop_map(|((start, lasts, parent), (name, kind, status), lists)| {
        let (own, resource, scope, events, links) = lists;
        let event = |(after, attributes): (u64, Attributes)| SpanEvent {
            at: start + after,
            name: AttributeKey::Borrowed(if after == 0 { "n" } else { "e" }),
            attributes,
            dropped_attributes: 0,
        };
        let link = |attributes| SpanLink {
            trace: TraceId([7; 16]),
            span: id(1),
            trace_state: String::new(),
            attributes,
            dropped_attributes: 0,
            flags: 0,
        };
        Span {
            trace: TraceId([1; 16]),
            id: id(1),
            parent: parent.map(id),
            trace_state: String::new(),
            flags: 0,
            name: AttributeKey::Borrowed(name),
            kind,
            start,
            end: start + lasts,
            attributes: own,
            events: events.into_iter().map(event).collect(),
            links: links.into_iter().map(link).collect(),
            status,
            status_message: String::new(),
            dropped: SpanDropCounts::default(),
            resource: Arc::new(SpanResource { attributes: resource, ..SpanResource::default() }),
            scope: Arc::new(SpanScope { attributes: scope, ..SpanScope::default() }),
        }
    })
}

fn attributes() -> impl Strategy<Value = Attributes> {
    let keys = ["a", "b", "service.name"].map(|key| option::weighted(0.3, value()).prop_map(move |value| (key, value)));
    keys.prop_map(|pairs| {
        pairs.into_iter().filter_map(|(key, value)| value.map(|value| (AttributeKey::Borrowed(key), value))).collect()
    })
}

fn value() -> impl Strategy<Value = SpanValue> {
    let single = prop_oneof![
        (0..3_i64).prop_map(SpanValue::Int),
        select(vec![0.5, 1.0, 2.0]).prop_map(SpanValue::Float),
        select(vec!["x", "y", "xy"]).prop_map(SpanValue::from),
        any::<bool>().prop_map(SpanValue::Bool),
        Just(SpanValue::Empty),
    ];
    prop_oneof![5 => single.clone(), 1 => vec(single, 0..3).prop_map(SpanValue::List)]
}

/// Queries that can be run.
pub(crate) fn queries() -> impl Strategy<Value = Query> {
    pipelines().prop_map(|pipeline| Query { root: Root::Search(pipeline), hints: Vec::new() })
}

/// Queries that consist of one filter.
pub(crate) fn filters() -> impl Strategy<Value = Query> {
    filter().prop_map(|filter| {
        let stage = PipelineStage::Spansets(SpansetExpr::Filter(Some(filter)));
        Query { root: Root::Search(PipelineExpr::Pipeline(vec![stage])), hints: Vec::new() }
    })
}

pub(crate) fn pipelines() -> impl Strategy<Value = PipelineExpr> {
    let pipeline = (stage(), vec(prop_oneof![3 => stage(), 1 => Just(PipelineStage::Coalesce)], 0..3));
    let pipeline =
        pipeline.prop_map(|(first, later)| PipelineExpr::Pipeline(std::iter::once(first).chain(later).collect()));
    pipeline.prop_recursive(1, 3, 2, |inner| {
        (op(), inner.clone(), inner).prop_map(|(op, left, right)| PipelineExpr::Combined {
            op,
            left: Box::new(left),
            right: Box::new(right),
        })
    })
}

fn stage() -> impl Strategy<Value = PipelineStage> {
    prop_oneof![
        6 => spansets().prop_map(PipelineStage::Spansets),
        2 => scalar().prop_map(PipelineStage::Scalar),
        1 => prop_oneof![attribute(), comparison()].prop_map(PipelineStage::By),
        1 => Just(PipelineStage::Select(vec![Field::Intrinsic(Intrinsic::Kind)])),
    ]
}

fn spansets() -> impl Strategy<Value = SpansetExpr> {
    let filter = option::weighted(0.8, filter()).prop_map(SpansetExpr::Filter);
    filter.prop_recursive(2, 4, 2, |inner| {
        (op(), inner.clone(), inner).prop_map(|(op, left, right)| SpansetExpr::Combined {
            op,
            left: Box::new(left),
            right: Box::new(right),
        })
    })
}

fn op() -> impl Strategy<Value = SpansetOp> {
    use SpansetOp::*;
    select(vec![
        And,
        Or,
        Child,
        Parent,
        Descendant,
        Ancestor,
        Sibling,
        NotChild,
        NotParent,
        NotDescendant,
        NotAncestor,
        NotSibling,
        UnionChild,
        UnionParent,
        UnionDescendant,
        UnionAncestor,
        UnionSibling,
    ])
}

fn scalar() -> impl Strategy<Value = ScalarFilter> {
    let over = prop_oneof![attribute(), Just(intrinsic(Intrinsic::Duration)), arithmetic(&EXACT)];
    let ops = select(vec![AggregateOp::Min, AggregateOp::Max, AggregateOp::Avg, AggregateOp::Sum]);
    let aggregate = prop_oneof![
        Just(Aggregate { op: AggregateOp::Count, of: None }),
        (ops, over).prop_map(|(op, of)| Aggregate { op, of: Some(of) }),
    ];
    (aggregate, order(), number(), any::<bool>()).prop_map(|(aggregate, op, number, turned)| {
        let (left, right) = (Scalar::Aggregate(aggregate), Scalar::Literal(number));
        if turned { ScalarFilter { left: right, op, right: left } } else { ScalarFilter { left, op, right } }
    })
}

pub(crate) fn filter() -> impl Strategy<Value = FieldExpr> {
    let leaf = prop_oneof![
        12 => comparison(),
        1 => attribute(),
        1 => any::<bool>().prop_map(|value| FieldExpr::Literal(Literal::Bool(value))),
    ];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            2 => (inner.clone(), inner.clone()).prop_map(|(left, right)| binary(BinaryOp::And, left, right)),
            2 => (inner.clone(), inner.clone()).prop_map(|(left, right)| binary(BinaryOp::Or, left, right)),
            2 => inner.prop_map(|of| FieldExpr::Unary { op: UnaryOp::Not, of: Box::new(of) }),
        ]
    })
}

fn comparison() -> BoxedStrategy<FieldExpr> {
    let pattern = select(vec!["x", "x|y", ".*y", "x?"]).prop_map(|text| Literal::Text(text.to_owned()));
    let matching = select(vec![CompareOp::Matches, CompareOp::MatchesNot]);
    prop_oneof![
        4 => (order(), attribute(), ordered(), any::<bool>()).prop_map(|(op, of, value, turned)| {
            if turned { compare(op, FieldExpr::Literal(value), of) } else { compare(op, of, FieldExpr::Literal(value)) }
        }),
        2 => (equality(), attribute(), unordered()).prop_map(|(op, of, value)| compare(op, of, FieldExpr::Literal(value))),
        1 => (matching, attribute(), pattern).prop_map(|(op, of, value)| compare(op, of, FieldExpr::Literal(value))),
        1 => (order(), attribute(), attribute()).prop_map(|(op, left, right)| compare(op, left, right)),
        1 => (order(), prop_oneof![arithmetic(&EXACT), arithmetic(&POWER)], number()).prop_map(|(op, of, value)| compare(op, of, FieldExpr::Literal(value))),
        3 => (order(), numeric_intrinsic(), number()).prop_map(|(op, of, value)| compare(op, of, FieldExpr::Literal(value))),
        2 => (order(), text_intrinsic(), text()).prop_map(|(op, of, value)| compare(op, of, FieldExpr::Literal(value))),
        1 => (equality(), select(KINDS.to_vec())).prop_map(|(op, kind)| {
            compare(op, intrinsic(Intrinsic::Kind), FieldExpr::Literal(Literal::Kind(kind)))
        }),
        1 => (equality(), select(STATUSES.to_vec())).prop_map(|(op, status)| {
            compare(op, intrinsic(Intrinsic::Status), FieldExpr::Literal(Literal::Status(status)))
        }),
    ]
    .boxed()
}

fn binary(op: BinaryOp, left: FieldExpr, right: FieldExpr) -> FieldExpr {
    FieldExpr::Binary { op, left: Box::new(left), right: Box::new(right) }
}

fn compare(op: CompareOp, left: FieldExpr, right: FieldExpr) -> FieldExpr {
    binary(BinaryOp::Compare(op), left, right)
}

fn arithmetic(op: &[ArithmeticOp]) -> impl Strategy<Value = FieldExpr> + use<> {
    let op = select(op.to_vec());
    let right = prop_oneof![attribute(), (1..3_i64).prop_map(|number| FieldExpr::Literal(Literal::Int(number)))];
    (op, attribute(), right).prop_map(|(op, left, right)| binary(BinaryOp::Arithmetic(op), left, right))
}

pub(crate) fn attribute() -> impl Strategy<Value = FieldExpr> {
    let scopes = select(vec![
        AttributeScope::Any,
        AttributeScope::Any,
        AttributeScope::Span,
        AttributeScope::Span,
        AttributeScope::Resource,
        AttributeScope::Event,
        AttributeScope::Link,
        AttributeScope::Instrumentation,
    ]);
    (scopes, prop::bool::weighted(0.15), select(vec!["a", "b"])).prop_map(|(scope, of_parent, name)| {
        FieldExpr::Field(Field::Attribute(AttributeRef { scope, of_parent, name: name.to_owned() }))
    })
}

fn intrinsic(intrinsic: Intrinsic) -> FieldExpr {
    FieldExpr::Field(Field::Intrinsic(intrinsic))
}

pub(crate) fn numeric_intrinsic() -> impl Strategy<Value = FieldExpr> {
    use Intrinsic::*;
    select(vec![
        Duration,
        TraceDuration,
        EventTimeSinceStart,
        ChildCount,
        NestedSetLeft,
        NestedSetRight,
        NestedSetParent,
    ])
    .prop_map(intrinsic)
}

pub(crate) fn text_intrinsic() -> impl Strategy<Value = FieldExpr> {
    use Intrinsic::*;
    select(vec![Name, RootName, RootName, RootService, EventName, SpanId, ParentId, LinkSpanId, StatusMessage])
        .prop_map(intrinsic)
}

fn order() -> impl Strategy<Value = CompareOp> {
    use CompareOp::*;
    select(vec![Equal, Equal, NotEqual, NotEqual, Less, LessEqual, Greater, GreaterEqual])
}

fn equality() -> impl Strategy<Value = CompareOp> {
    select(vec![CompareOp::Equal, CompareOp::NotEqual])
}

fn ordered() -> impl Strategy<Value = Literal> {
    prop_oneof![number(), text()]
}

fn unordered() -> impl Strategy<Value = Literal> {
    prop_oneof![
        1 => any::<bool>().prop_map(Literal::Bool),
        2 => Just(Literal::Nil),
        1 => select(STATUSES.to_vec()).prop_map(Literal::Status),
    ]
}

fn number() -> impl Strategy<Value = Literal> {
    prop_oneof![
        (-1..5_i64).prop_map(Literal::Int),
        select(vec![0.5, 1.0, 1.5]).prop_map(Literal::Float),
        (0..3_i64).prop_map(Literal::Duration),
    ]
}

fn text() -> impl Strategy<Value = Literal> {
    select(vec!["x", "y", "n", "e", "", "1", "0000000000000002"]).prop_map(|text| Literal::Text(text.to_owned()))
}
