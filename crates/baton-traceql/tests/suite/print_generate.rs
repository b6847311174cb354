//! Generator of queries as trees, each in the form that parsing results in.

use baton_traceql::{
    Aggregate, AggregateOp, ArithmeticOp, AttributeRef, AttributeScope, BinaryOp, CompareFunction, CompareOp, Field,
    FieldExpr, FirstStage, Hint, Intrinsic, Literal, MetricsExpr, MetricsQuery, PipelineExpr, PipelineStage, Query,
    Root, Scalar, ScalarFilter, SecondStage, SpansetExpr, SpansetOp, UnaryOp,
};
use baton_types::{SpanKind, SpanStatus};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

pub(crate) fn queries() -> impl Strategy<Value = Query> {
    let root = prop_oneof![pipelines().prop_map(Root::Search), metrics().prop_map(Root::Metrics)];
    (root, vec(hint(), 0..3)).prop_map(|(root, hints)| Query { root, hints })
}

fn hint() -> impl Strategy<Value = Hint> {
    select(vec![
        ("sample", Literal::Bool(true)),
        ("sample", Literal::Float(0.25)),
        ("exemplars", Literal::Int(100)),
        ("most_recent", Literal::Bool(false)),
    ])
    .prop_map(|(name, value)| Hint { name: name.to_owned(), value })
}

fn pipelines() -> impl Strategy<Value = PipelineExpr> {
    let leaf = stages().prop_map(PipelineExpr::Pipeline);
    leaf.prop_recursive(3, 6, 2, |inner| {
        (spanset_op(), inner.clone(), inner).prop_map(|(op, mut left, right)| {
            if let (PipelineExpr::Pipeline(stages), true) = (&mut left, is_spansets(&right)) {
                // Two spansets in parentheses parse as a spanset operation, not as a pipeline operation.
                stages.push(PipelineStage::Coalesce);
            }
            PipelineExpr::Combined { op, left: Box::new(left), right: Box::new(right) }
        })
    })
}

fn is_spansets(pipeline: &PipelineExpr) -> bool {
    matches!(pipeline, PipelineExpr::Pipeline(stages) if matches!(stages[..], [PipelineStage::Spansets(_)]))
}

fn stages() -> impl Strategy<Value = Vec<PipelineStage>> {
    let first = prop_oneof![
        4 => spansets().prop_map(PipelineStage::Spansets),
        1 => scalar_filter().prop_map(PipelineStage::Scalar),
        1 => fields().prop_map(PipelineStage::By),
        1 => vec(field(), 1..3).prop_map(PipelineStage::Select),
    ];
    let later = prop_oneof![
        spansets().prop_map(PipelineStage::Spansets),
        scalar_filter().prop_map(PipelineStage::Scalar),
        fields().prop_map(PipelineStage::By),
        vec(field(), 1..3).prop_map(PipelineStage::Select),
        Just(PipelineStage::Coalesce),
    ];
    (first, vec(later, 0..3)).prop_map(|(first, mut later)| {
        later.insert(0, first);
        later
    })
}

fn spansets() -> BoxedStrategy<SpansetExpr> {
    filter()
        .prop_recursive(3, 6, 2, |inner| {
            (spanset_op(), inner.clone(), inner).prop_map(|(op, left, right)| SpansetExpr::Combined {
                op,
                left: Box::new(left),
                right: Box::new(right),
            })
        })
        .boxed()
}

fn filter() -> impl Strategy<Value = SpansetExpr> {
    prop::option::of(fields()).prop_map(SpansetExpr::Filter)
}

fn spanset_op() -> impl Strategy<Value = SpansetOp> {
    use SpansetOp::{
        Ancestor, And, Child, Descendant, NotAncestor, NotChild, NotDescendant, NotParent, NotSibling, Or, Parent,
        Sibling, UnionAncestor, UnionChild, UnionDescendant, UnionParent, UnionSibling,
    };
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

fn scalar_filter() -> impl Strategy<Value = ScalarFilter> {
    (scalar(), compare_op(), scalar()).prop_map(|(left, op, right)| ScalarFilter { left, op, right })
}

fn scalar() -> impl Strategy<Value = Scalar> {
    let leaf = prop_oneof![
        3 => number().prop_map(Scalar::Literal),
        3 => aggregate().prop_map(Scalar::Aggregate),
        1 => (spansets(), aggregate()).prop_map(|(spansets, aggregate)| Scalar::Pipeline {
            stages: vec![PipelineStage::Spansets(spansets)],
            aggregate,
        }),
    ];
    leaf.prop_recursive(3, 6, 2, |inner| {
        (arithmetic_op(), inner.clone(), inner).prop_map(|(op, left, right)| Scalar::Computed {
            op,
            left: Box::new(left),
            right: Box::new(right),
        })
    })
}

fn aggregate() -> impl Strategy<Value = Aggregate> {
    let of = (aggregate_op(), fields()).prop_map(|(op, of)| Aggregate { op, of: Some(of) });
    prop_oneof![Just(Aggregate { op: AggregateOp::Count, of: None }), of]
}

fn aggregate_op() -> impl Strategy<Value = AggregateOp> {
    select(vec![AggregateOp::Min, AggregateOp::Max, AggregateOp::Avg, AggregateOp::Sum])
}

fn arithmetic_op() -> impl Strategy<Value = ArithmeticOp> {
    use ArithmeticOp::{Add, Divide, Modulo, Multiply, Power, Subtract};
    select(vec![Add, Subtract, Multiply, Divide, Modulo, Power])
}

fn compare_op() -> impl Strategy<Value = CompareOp> {
    use CompareOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    select(vec![Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual])
}

fn fields() -> BoxedStrategy<FieldExpr> {
    let leaf = prop_oneof![literal().prop_map(FieldExpr::Literal), field().prop_map(FieldExpr::Field)];
    leaf.prop_recursive(4, 16, 2, |inner| {
        let binary = prop_oneof![
            select(vec![BinaryOp::And, BinaryOp::Or]),
            compare_op().prop_map(BinaryOp::Compare),
            arithmetic_op().prop_map(BinaryOp::Arithmetic),
        ];
        let matches = (inner.clone(), any::<bool>(), select(vec!["", "a|b", r"\d+\.", "[^\"/]", "é\n"]));
        prop_oneof![
            1 => (any::<bool>(), inner.clone()).prop_map(|(not, of)| FieldExpr::Unary {
                op: if not { UnaryOp::Not } else { UnaryOp::Negative },
                of: Box::new(of),
            }),
            4 => (binary, inner.clone(), inner).prop_map(|(op, left, right)| {
                // Fields that always exist cannot be compared with `nil`.
                let nil = |side: &FieldExpr| *side == FieldExpr::Literal(Literal::Nil);
                let asks = op == BinaryOp::Compare(CompareOp::Equal) && (nil(&left) || nil(&right));
                let op = if asks { BinaryOp::Compare(CompareOp::NotEqual) } else { op };
                FieldExpr::Binary { op, left: Box::new(left), right: Box::new(right) }
            }),
            1 => matches.prop_map(|(left, not, pattern)| FieldExpr::Binary {
                op: BinaryOp::Compare(if not { CompareOp::MatchesNot } else { CompareOp::Matches }),
                left: Box::new(left),
                right: Box::new(FieldExpr::Literal(Literal::Text(pattern.to_owned()))),
            }),
        ]
    })
    .boxed()
}

fn number() -> impl Strategy<Value = Literal> {
    prop_oneof![
        any::<i64>().prop_map(Literal::Int),
        (-3_i64..3).prop_map(Literal::Int),
        select(vec![i64::MIN, i64::MAX, i64::MIN + 1]).prop_map(Literal::Int),
        finite().prop_map(Literal::Float),
        any::<i64>().prop_map(Literal::Duration),
        (-100_i64..100, select(vec![1, 1_000, 1_000_000, 1_500_000_000, 3_600_000_000_000_i64]))
            .prop_map(|(count, unit)| Literal::Duration(count * unit)),
    ]
}

fn finite() -> impl Strategy<Value = f64> {
    prop_oneof![prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL, -10.0..10.0]
}

fn literal() -> impl Strategy<Value = Literal> {
    use SpanKind::{Client, Consumer, Internal, Producer, Server, Unspecified};
    prop_oneof![
        3 => number(),
        3 => any::<String>().prop_map(Literal::Text),
        1 => any::<bool>().prop_map(Literal::Bool),
        1 => Just(Literal::Nil),
        1 => select(vec![SpanStatus::Ok, SpanStatus::Error, SpanStatus::Unset]).prop_map(Literal::Status),
        1 => select(vec![Client, Consumer, Internal, Producer, Server, Unspecified]).prop_map(Literal::Kind),
    ]
}

fn field() -> impl Strategy<Value = Field> {
    let name = prop_oneof![
        "[a-z_]{1,6}(\\.[a-z_]{1,6}){0,2}",
        "(span|resource|parent|event)\\.[a-z0-9]{1,3}",
        "[0-9][a-z0-9. \"\\\\-]{0,4}",
        any::<String>().prop_filter("a name is not empty", |name| !name.is_empty()),
    ];
    let scope = select(vec![
        (AttributeScope::Any, false),
        (AttributeScope::Span, false),
        (AttributeScope::Resource, false),
        (AttributeScope::Event, false),
        (AttributeScope::Link, false),
        (AttributeScope::Instrumentation, false),
        (AttributeScope::Any, true),
        (AttributeScope::Span, true),
        (AttributeScope::Resource, true),
    ]);
    prop_oneof![
        3 => (scope, name).prop_map(|((scope, of_parent), name)| Field::Attribute(AttributeRef { scope, of_parent, name })),
        1 => select(INTRINSICS).prop_map(Field::Intrinsic),
    ]
}

const INTRINSICS: &[Intrinsic] = &[
    Intrinsic::Duration,
    Intrinsic::Name,
    Intrinsic::Kind,
    Intrinsic::Status,
    Intrinsic::StatusMessage,
    Intrinsic::SpanId,
    Intrinsic::ParentId,
    Intrinsic::ChildCount,
    Intrinsic::Parent,
    Intrinsic::TraceDuration,
    Intrinsic::RootName,
    Intrinsic::RootService,
    Intrinsic::TraceId,
    Intrinsic::NestedSetLeft,
    Intrinsic::NestedSetRight,
    Intrinsic::NestedSetParent,
    Intrinsic::EventName,
    Intrinsic::EventTimeSinceStart,
    Intrinsic::LinkTraceId,
    Intrinsic::LinkSpanId,
    Intrinsic::InstrumentationName,
    Intrinsic::InstrumentationVersion,
];

fn metrics() -> impl Strategy<Value = MetricsExpr> {
    metrics_query().prop_recursive(3, 6, 2, |inner| {
        let op = select(vec![ArithmeticOp::Add, ArithmeticOp::Subtract, ArithmeticOp::Multiply, ArithmeticOp::Divide]);
        let other = prop_oneof![inner.clone(), constant()];
        (op, inner, other, any::<bool>(), vec(second_stage(), 0..2)).prop_map(|(op, series, other, swap, then)| {
            let (left, right) = if swap { (other, series) } else { (series, other) };
            MetricsExpr::Computed { op, left: Box::new(left), right: Box::new(right), then }
        })
    })
}

/// Numbers and arithmetic on numbers.
fn constant() -> impl Strategy<Value = MetricsExpr> {
    let leaf = prop_oneof![finite(), (-5_i32..5).prop_map(f64::from)].prop_map(MetricsExpr::Number);
    leaf.prop_recursive(2, 3, 2, |inner| {
        (select(vec![ArithmeticOp::Subtract, ArithmeticOp::Divide]), inner.clone(), inner).prop_map(
            |(op, left, right)| MetricsExpr::Computed {
                op,
                left: Box::new(left),
                right: Box::new(right),
                then: Vec::new(),
            },
        )
    })
}

fn metrics_query() -> impl Strategy<Value = MetricsExpr> {
    let by = || vec(field(), 0..3);
    let first = prop_oneof![
        by().prop_map(|by| FirstStage::Rate { by }),
        by().prop_map(|by| FirstStage::CountOverTime { by }),
        (aggregate_op(), field(), by()).prop_map(|(op, of, by)| FirstStage::AggregateOverTime { op, of, by }),
        (field(), vec(0.0..=1.0, 1..4), by()).prop_map(|(of, quantiles, by)| FirstStage::QuantileOverTime {
            of,
            quantiles,
            by
        }),
        (field(), by()).prop_map(|(of, by)| FirstStage::HistogramOverTime { of, by }),
    ];
    let query = (stages(), first, vec(second_stage(), 0..3));
    prop_oneof![
        5 => query.prop_map(|(stages, first, then)| MetricsQuery { spans: PipelineExpr::Pipeline(stages), first, then }),
        1 => (stages(), compare()).prop_map(|(stages, compare)| MetricsQuery {
            spans: PipelineExpr::Pipeline(stages),
            first: FirstStage::Compare(compare),
            then: Vec::new(),
        }),
    ]
    .prop_map(MetricsExpr::Query)
}

fn compare() -> impl Strategy<Value = CompareFunction> {
    let times = prop::option::of((any::<i64>(), any::<i64>()));
    (filter(), prop::option::of((any::<i64>(), times))).prop_map(|(selection, arguments)| {
        let (top, times) = arguments.unzip();
        let (start, end) = times.flatten().unzip();
        CompareFunction { selection, top, start, end }
    })
}

fn second_stage() -> impl Strategy<Value = SecondStage> {
    prop_oneof![
        (1_i64..100).prop_map(SecondStage::TopK),
        (1_i64..100).prop_map(SecondStage::BottomK),
        (compare_op(), number()).prop_map(|(op, value)| SecondStage::Filter { op, value }),
    ]
}
