//! Metrics results equal an evaluation over all spans at once, for random spans, segments, intervals and queries.

use super::{
    naive::{
        self,
        dice::Dice,
        spans::{BASE, KEYS, TICK},
    },
    search_equivalence::{bytes, layout, run, stored},
};
use crate::{
    search::{QueryBudget, metrics},
    segment::Segment,
};
use baton_span_ports::{SpanMetricsRequest, SpanStoreError};
use baton_telemetry::ALIASES;
use baton_traceql::{
    AggregateOp, Aliases, ArithmeticOp, AttributeRef, AttributeScope, BinaryOp, CompareFunction, CompareOp, Field,
    FieldExpr, FirstStage, Intrinsic, Literal, MetricsExpr, MetricsLimits, MetricsPlan, MetricsQuery, PipelineExpr,
    PipelineStage, Query, QueryError, Root, Series, SpansetExpr, Steps, TraceSpans, UnaryOp,
};
use baton_types::{Span, SpanEvent, SpanId, SpanValue, TraceId};
use proptest::{prelude::*, test_runner::TestCaseError};
use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, Instant},
};

/// Two keys that are aliases of each other.
const ALIASED: [&str; 2] = ["agent.id", "gen_ai.agent.id"];

/// Random spans with inputs that only an index could get wrong: long texts, duplicate keys, aliases, and spans that
/// were sent again with a later end.
fn spans(dice: &mut Dice<'_>, all: &[u8]) -> Vec<Span> {
    let mut spans = naive::spans::spans(&mut Dice::new(all));
    let mut again = Vec::new();
    for span in &mut spans {
        let long = format!("{}{}", "é".repeat(140), dice.below(2));
        match dice.below(12) {
            0 => span.attributes.push(("x.y".into(), long.into())),
            1 => span.name = long.into(),
            2 => span.attributes.extend(ALIASED.map(|key| (key.into(), SpanValue::from(format!("{}", dice.below(2)))))),
            3 => span.attributes.push((dice.of(&ALIASED).into(), SpanValue::Int(dice.below(3) as i64))),
            4 => span.attributes.push((dice.of(KEYS).into(), SpanValue::List(vec![SpanValue::Int(1)]))),
            5 => span.events.push(SpanEvent { at: span.start, name: "ab".into(), ..SpanEvent::default() }),
            6 => span.status_message = long,
            _ => {}
        }
    }
    for span in &spans {
        if dice.one_in(8) {
            let mut more = span.clone();
            more.end = span.end.max(span.start) + TICK;
            more.name = dice.of(&["insight.b", "more"]).into();
            more.attributes.retain(|_| dice.one_in(2));
            again.push(more);
        }
    }
    spans.extend(again);
    consistent(spans)
}

/// Of spans with the same id, either all are equal or the second one ended later.
fn consistent(spans: Vec<Span>) -> Vec<Span> {
    let mut known: BTreeMap<(TraceId, SpanId, u64), Span> = BTreeMap::new();
    spans.into_iter().map(|span| known.entry((span.trace, span.id, span.end)).or_insert(span).clone()).collect()
}

fn field(dice: &mut Dice<'_>) -> Field {
    const INTRINSICS: &[Intrinsic] = &[
        Intrinsic::Name,
        Intrinsic::Status,
        Intrinsic::Kind,
        Intrinsic::Duration,
        Intrinsic::StatusMessage,
        Intrinsic::EventName,
        Intrinsic::LinkSpanId,
        Intrinsic::InstrumentationName,
        Intrinsic::RootName,
        Intrinsic::SpanId,
        Intrinsic::ParentId,
    ];
    const SCOPES: &[AttributeScope] = &[
        AttributeScope::Span,
        AttributeScope::Any,
        AttributeScope::Resource,
        AttributeScope::Event,
        AttributeScope::Link,
        AttributeScope::Instrumentation,
    ];
    match dice.below(4) {
        0 => Field::Intrinsic(dice.of(INTRINSICS)),
        _ => {
            let name = if dice.one_in(4) { dice.of(&ALIASED) } else { dice.of(KEYS) };
            Field::Attribute(AttributeRef { scope: dice.of(SCOPES), of_parent: dice.one_in(20), name: name.to_owned() })
        }
    }
}

fn number(dice: &mut Dice<'_>) -> Field {
    if dice.one_in(2) { Field::Intrinsic(Intrinsic::Duration) } else { field(dice) }
}

/// The first filter of an expression.
fn first_filter(expr: SpansetExpr) -> SpansetExpr {
    match expr {
        SpansetExpr::Combined { left, .. } => first_filter(*left),
        filter => filter,
    }
}

/// A pipeline of the naive generator; mostly only its first filter, which can be evaluated on rows.
fn pipeline(dice: &mut Dice<'_>) -> PipelineExpr {
    let plain = !dice.one_in(4);
    match naive::queries::query(dice).root {
        Root::Search(PipelineExpr::Pipeline(stages)) if plain => {
            let filter = stages.into_iter().find_map(|stage| match stage {
                PipelineStage::Spansets(expr) => Some(first_filter(expr)),
                _ => None,
            });
            PipelineExpr::Pipeline(vec![PipelineStage::Spansets(filter.unwrap_or(SpansetExpr::Filter(None)))])
        }
        Root::Search(pipeline) => pipeline,
        Root::Metrics(_) => PipelineExpr::Pipeline(Vec::new()),
    }
}

/// A selection by the place of spans in their trace, which can be evaluated on rows.
fn spansets(dice: &mut Dice<'_>, depth: usize) -> SpansetExpr {
    if depth > 0 && !dice.one_in(4) {
        let (left, right) = (Box::new(spansets(dice, depth - 1)), Box::new(spansets(dice, depth - 1)));
        return SpansetExpr::Combined { op: dice.of(naive::queries::RELATIONS), left, right };
    }
    SpansetExpr::Filter((!dice.one_in(4)).then(|| condition(dice, 2)))
}

fn condition(dice: &mut Dice<'_>, depth: usize) -> FieldExpr {
    let compared = |field: Intrinsic, op: CompareOp, value: Literal| FieldExpr::Binary {
        op: BinaryOp::Compare(op),
        left: Box::new(FieldExpr::Field(Field::Intrinsic(field))),
        right: Box::new(FieldExpr::Literal(value)),
    };
    let text = |dice: &mut Dice<'_>| Literal::Text(dice.of(naive::spans::NAMES).to_owned());
    let op = dice.of(&[CompareOp::Equal, CompareOp::NotEqual, CompareOp::Matches, CompareOp::MatchesNot]);
    match dice.below(if depth > 0 { 10 } else { 7 }) {
        0 => compared(Intrinsic::RootName, op, text(dice)),
        1 => compared(Intrinsic::RootService, op, text(dice)),
        2 => compared(Intrinsic::Name, op, text(dice)),
        3 => compared(Intrinsic::Status, CompareOp::NotEqual, Literal::Status(dice.of(naive::spans::STATUSES))),
        4 => compared(Intrinsic::NestedSetParent, CompareOp::Less, Literal::Int(0)),
        5 | 6 => naive::queries::attribute_comparison(dice),
        7 => FieldExpr::Unary { op: UnaryOp::Not, of: Box::new(condition(dice, depth - 1)) },
        _ => {
            let op = dice.of(&[BinaryOp::And, BinaryOp::Or]);
            let (left, right) = (Box::new(condition(dice, depth - 1)), Box::new(condition(dice, depth - 1)));
            FieldExpr::Binary { op, left, right }
        }
    }
}

fn trace_pipeline(dice: &mut Dice<'_>) -> PipelineExpr {
    let stages = |dice: &mut Dice<'_>| {
        let count = 1 + usize::from(dice.one_in(4));
        PipelineExpr::Pipeline((0..count).map(|_| PipelineStage::Spansets(spansets(dice, 2))).collect())
    };
    if dice.one_in(8) {
        let (left, right) = (Box::new(stages(dice)), Box::new(stages(dice)));
        return PipelineExpr::Combined { op: dice.of(naive::queries::RELATIONS), left, right };
    }
    stages(dice)
}

type PipelineGenerator = fn(&mut Dice<'_>) -> PipelineExpr;

fn leaf(dice: &mut Dice<'_>, pipeline: PipelineGenerator) -> MetricsExpr {
    let by: Vec<Field> = (0..dice.below(3)).map(|_| field(dice)).collect();
    let first = match dice.below(8) {
        0 | 1 => FirstStage::CountOverTime { by },
        2 => FirstStage::Rate { by },
        3 | 4 => {
            let op = dice.of(&[AggregateOp::Sum, AggregateOp::Min, AggregateOp::Max, AggregateOp::Avg]);
            FirstStage::AggregateOverTime { op, of: number(dice), by }
        }
        5 => FirstStage::QuantileOverTime { of: number(dice), quantiles: vec![0.5, 0.9], by },
        6 => FirstStage::HistogramOverTime { of: number(dice), by },
        _ => {
            let selection = SpansetExpr::Filter(Some(FieldExpr::Field(field(dice))));
            FirstStage::Compare(CompareFunction { selection, top: None, start: None, end: None })
        }
    };
    MetricsExpr::Query(MetricsQuery { spans: pipeline(dice), first, then: Vec::new() })
}

fn query(dice: &mut Dice<'_>, pipeline: PipelineGenerator) -> Query {
    let root = if dice.one_in(8) {
        let (left, right) = (Box::new(leaf(dice, pipeline)), Box::new(leaf(dice, pipeline)));
        MetricsExpr::Computed { op: ArithmeticOp::Add, left, right, then: Vec::new() }
    } else {
        leaf(dice, pipeline)
    };
    Query { root: Root::Metrics(root), hints: Vec::new() }
}

fn steps(dice: &mut Dice<'_>) -> Steps {
    let start = BASE + dice.below(10) as u64 * TICK - if dice.one_in(2) { 5 * TICK } else { 0 };
    let end = start + dice.below(30) as u64 * TICK;
    match dice.below(3) {
        0 => Steps::single(start, end),
        _ => Steps::cover(start, end, (1 + dice.below(4) as u64) * TICK).expect("not too many"),
    }
}

/// Result of the reference evaluation, trace by trace.
fn expected(ask: &SpanMetricsRequest, spans: &[Span]) -> Result<Vec<Series>, QueryError> {
    let mut traces: BTreeMap<TraceId, BTreeMap<SpanId, Span>> = BTreeMap::new();
    for span in spans {
        let known = traces.entry(span.trace).or_default().entry(span.id).or_insert_with(|| span.clone());
        if span.end > known.end {
            *known = span.clone();
        }
    }
    let aliases = if ask.aliases { Aliases(ALIASES) } else { Aliases::NONE };
    let measure = MetricsPlan::new(&ask.query, aliases, ask.steps, MetricsLimits::default())?;
    let mut tallies = Vec::new();
    for leaf in 0..measure.leaves() {
        let mut tally = measure.tally(leaf);
        for spans in traces.values() {
            let trace = TraceSpans { spans: spans.values().cloned().collect() };
            assert!(measure.add_trace(leaf, &mut tally, &trace, &|| false));
        }
        tallies.push(tally);
    }
    Ok(measure.finish(tallies).unwrap().0)
}

/// NaN is not equal to itself; its debug text is.
fn written(series: &[Series]) -> Vec<String> {
    series.iter().map(|series| format!("{:?} {:?}", series.labels, series.samples)).collect()
}

/// Runs one query; returns the number of series, or an error if the store and the reference disagree.
fn check(
    segments: &[Arc<dyn Segment>],
    spans: &[Span],
    (pipeline, asked): (PipelineGenerator, &[u8]),
) -> Result<usize, TestCaseError> {
    let mut dice = Dice::new(asked);
    let (aliases, exemplars, steps) = (dice.one_in(2), dice.below(3), steps(&mut dice));
    let ask = SpanMetricsRequest { query: Arc::new(query(&mut dice, pipeline)), steps, exemplars, aliases };
    let Ok(expected) = expected(&ask, spans) else { return Err(TestCaseError::reject("cannot be run")) };
    let budget = QueryBudget::with_deadline(Instant::now() + Duration::from_secs(600));
    let answer =
        metrics(segments, &ask, &budget).map_err(|error: SpanStoreError| TestCaseError::fail(error.to_string()))?;
    prop_assert!(!answer.partial);
    prop_assert_eq!(written(&answer.series), written(&expected), "{} of {:#?}", ask.query, spans);
    for exemplar in answer.series.iter().flat_map(|series| &series.exemplars) {
        let stands = |span: &Span| (span.trace, span.id, span.start) == (exemplar.trace, exemplar.span, exemplar.at);
        prop_assert!(exemplars > 0 && spans.iter().any(stands), "{} shows {:?}", ask.query, exemplar);
        prop_assert!(ask.steps.index(exemplar.at).is_some());
    }
    Ok(expected.len())
}

#[test]
fn metrics_over_whole_traces_match_the_reference() {
    run(1_000, 300, &(bytes(1_200), bytes(40), bytes(80)), |(all, layouts, query)| {
        let spans = spans(&mut Dice::new(&layouts), &all);
        check(&layout(&mut Dice::new(&layouts), &spans), &spans, (pipeline, &query))
    });
}

#[test]
fn metrics_over_heads_and_blocks_match_the_reference() {
    check_stored(96, 2_000, pipeline);
}

#[test]
fn spansets_over_heads_and_blocks_match_the_reference() {
    check_stored(96, 4_000, trace_pipeline);
}

fn check_stored(cases: u32, found: usize, pipeline: PipelineGenerator) {
    let queries = prop::collection::vec(bytes(80), 60);
    run(cases, found, &(bytes(1_200), bytes(80), queries), |(all, layouts, queries)| {
        let spans = spans(&mut Dice::new(&layouts), &all);
        let directory = tempfile::tempdir().expect("a directory");
        let segments = stored(&mut Dice::new(&layouts), directory.path(), &spans);
        let mut answered = 0;
        for query in queries {
            match check(&segments, &spans, (pipeline, &query)) {
                Err(TestCaseError::Reject(_)) => {}
                checked => answered += checked?,
            }
        }
        Ok(answered)
    });
}
