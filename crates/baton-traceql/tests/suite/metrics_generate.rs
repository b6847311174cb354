//! Generators of small metrics queries over few names and values, and of lists of traces.

use super::evaluate_generate::{attribute, filter, numeric_intrinsic, pipelines, text_intrinsic, traces};
use baton_traceql::{
    AggregateOp, ArithmeticOp, CompareFunction, CompareOp, Field, FieldExpr, FirstStage, Intrinsic, Literal,
    MetricsExpr, MetricsQuery, PipelineExpr, PipelineStage, Query, Root, SecondStage, SpansetExpr, Steps, TraceSpans,
};
use baton_types::TraceId;
use proptest::{collection::vec, option, prelude::*, sample::select};

/// Traces with different ids.
pub(crate) fn trace_lists() -> impl Strategy<Value = Vec<TraceSpans>> {
    vec(traces().boxed(), 0..6).prop_map(|mut traces| {
        for (number, trace) in traces.iter_mut().enumerate() {
            trace.spans.iter_mut().for_each(|span| span.trace = TraceId([number as u8 + 1; 16]));
        }
        traces
    })
}

/// Intervals that may not cover all spans.
pub(crate) fn intervals() -> impl Strategy<Value = Steps> {
    (0..3_u64, 1..6_u64, 1..4_u64).prop_map(|(start, lasts, step)| Steps::cover(start, start + lasts, step).unwrap())
}

pub(crate) fn metrics_queries() -> impl Strategy<Value = Query> {
    let root = prop_oneof![
        4 => query().prop_map(MetricsExpr::Query),
        2 => computed(),
        1 => compare().prop_map(MetricsExpr::Query),
    ];
    root.prop_map(|metrics| Query { root: Root::Metrics(metrics), hints: Vec::new() })
}

fn computed() -> BoxedStrategy<MetricsExpr> {
    let leaf = query().prop_map(MetricsExpr::Query);
    let leaf = (leaf, operation(), operand(), any::<bool>(), second());
    leaf.prop_map(|(left, op, right, turned, then)| {
        let (left, right) = if turned { (right, left) } else { (left, right) };
        MetricsExpr::Computed { op, left: Box::new(left), right: Box::new(right), then }
    })
    .boxed()
}

fn operand() -> impl Strategy<Value = MetricsExpr> {
    let number = select(vec![0.0, 0.5, 2.0, -1.0]).prop_map(MetricsExpr::Number);
    let inner = prop_oneof![1 => number.clone(), 3 => query().prop_map(MetricsExpr::Query)];
    prop_oneof![
        1 => number,
        3 => query().prop_map(MetricsExpr::Query),
        1 => (query(), operation(), inner).prop_map(|(left, op, right)| MetricsExpr::Computed {
            op,
            left: Box::new(MetricsExpr::Query(left)),
            right: Box::new(right),
            then: Vec::new(),
        }),
    ]
}

fn operation() -> impl Strategy<Value = ArithmeticOp> {
    select(vec![ArithmeticOp::Add, ArithmeticOp::Subtract, ArithmeticOp::Multiply, ArithmeticOp::Divide])
}

/// Boxed, as all large strategies are: unboxed ones overflow the stack of a test.
fn query() -> BoxedStrategy<MetricsQuery> {
    (spans(), first(), second()).prop_map(|(spans, first, then)| MetricsQuery { spans, first, then }).boxed()
}

fn spans() -> BoxedStrategy<PipelineExpr> {
    let plain = option::weighted(0.7, filter())
        .prop_map(|filter| PipelineExpr::Pipeline(vec![PipelineStage::Spansets(SpansetExpr::Filter(filter))]));
    prop_oneof![2 => plain.boxed(), 1 => pipelines().boxed()].boxed()
}

fn first() -> impl Strategy<Value = FirstStage> {
    let aggregates = select(vec![AggregateOp::Min, AggregateOp::Max, AggregateOp::Avg, AggregateOp::Sum]);
    let quantiles = vec(select(vec![0.0, 0.25, 0.5, 0.9, 1.0]), 1..4);
    prop_oneof![
        1 => by().prop_map(|by| FirstStage::Rate { by }),
        2 => by().prop_map(|by| FirstStage::CountOverTime { by }),
        3 => (aggregates, measured(), by()).prop_map(|(op, of, by)| FirstStage::AggregateOverTime { op, of, by }),
        1 => (measured(), quantiles, by())
            .prop_map(|(of, quantiles, by)| FirstStage::QuantileOverTime { of, quantiles, by }),
        1 => (measured(), by()).prop_map(|(of, by)| FirstStage::HistogramOverTime { of, by }),
    ]
}

fn by() -> impl Strategy<Value = Vec<Field>> {
    let word = select(vec![Intrinsic::Kind, Intrinsic::Status, Intrinsic::Name]).prop_map(Field::Intrinsic);
    let field = prop_oneof![3 => field(attribute()), 1 => field(text_intrinsic()), 2 => word];
    vec(field, 0..3)
}

fn measured() -> impl Strategy<Value = Field> {
    prop_oneof![2 => field(attribute()), 1 => field(numeric_intrinsic()), 1 => Just(Field::Intrinsic(Intrinsic::Duration))]
}

fn field(of: impl Strategy<Value = FieldExpr> + 'static) -> BoxedStrategy<Field> {
    of.prop_map(|of| match of {
        FieldExpr::Field(field) => field,
        other => panic!("{other} is no field"),
    })
    .boxed()
}

fn second() -> BoxedStrategy<Vec<SecondStage>> {
    use CompareOp::*;
    let value = prop_oneof![
        (0..4_i64).prop_map(Literal::Int),
        select(vec![0.5, 1e9]).prop_map(Literal::Float),
        (0..3_i64).prop_map(Literal::Duration),
    ];
    let filter = (select(vec![Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual]), value);
    let stage = prop_oneof![
        2 => (1..3_i64).prop_map(SecondStage::TopK),
        1 => (1..3_i64).prop_map(SecondStage::BottomK),
        2 => filter.prop_map(|(op, value)| SecondStage::Filter { op, value }),
    ];
    prop_oneof![1 => Just(Vec::new()), 1 => vec(stage, 1..3)].boxed()
}

fn compare() -> BoxedStrategy<MetricsQuery> {
    let selection = option::weighted(0.9, filter()).prop_map(SpansetExpr::Filter);
    let times = option::weighted(0.3, (0..3_i64, 2..6_i64));
    (spans(), selection, option::of((0..3_i64, times)))
        .prop_map(|(spans, selection, arguments)| {
            let (top, times) = arguments.unzip();
            let (start, end) = times.flatten().unzip();
            let first = FirstStage::Compare(CompareFunction { selection, top, start, end });
            MetricsQuery { spans, first, then: Vec::new() }
        })
        .boxed()
}
