//! Naive reference evaluator of queries: simple, slow, and sharing only the syntax tree with the engine. Results of the
//! engine are compared with it.

pub(crate) mod dice;
pub(crate) mod expr;
pub(crate) mod pipeline;
pub(crate) mod queries;
pub(crate) mod spans;

use baton_span_ports::{ServiceStats, TimeRange};
use baton_traceql::{PipelineExpr, Query, Root};
use baton_types::{Span, SpanId, SpanStatus, SpanValue, TraceId};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// Labels of a spanset, with values as text.
pub(crate) type SetLabels = Vec<(String, String)>;

/// Expected search result for one trace.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ExpectedTrace {
    pub(crate) id: TraceId,
    pub(crate) root: (String, String),
    pub(crate) start: u64,
    pub(crate) duration: u64,
    pub(crate) services: Vec<(String, ServiceStats)>,
    /// Spans by start time and id, with the labels from `by` and aggregates; spansets in the order of their spans.
    pub(crate) spansets: Vec<(Vec<SpanId>, SetLabels)>,
}

/// Expected result, newest trace first; duplicate spans count once.
pub(crate) fn answer(query: &Query, spans: &[Span], range: TimeRange) -> Vec<ExpectedTrace> {
    let Root::Search(pipeline) = &query.root else { panic!("not a search: {query:?}") };
    let mut traces: BTreeMap<TraceId, BTreeMap<SpanId, Span>> = BTreeMap::new();
    for span in spans {
        traces.entry(span.trace).or_default().insert(span.id, span.clone());
    }
    let mut results: Vec<ExpectedTrace> = traces
        .into_values()
        .filter_map(|spans| {
            let mut spans: Vec<Span> = spans.into_values().collect();
            spans.sort_by_key(|span| (span.start, span.id));
            let in_time = spans.iter().any(|span| span.start <= range.end && span.end.max(span.start) >= range.start);
            in_time.then(|| evaluate_trace(pipeline, &spans)).flatten()
        })
        .collect();
    results.sort_by_key(|trace| (Reverse(trace.start), trace.id));
    results
}

fn evaluate_trace(pipeline: &PipelineExpr, spans: &[Span]) -> Option<ExpectedTrace> {
    let sets = pipeline::run(pipeline, spans);
    if sets.is_empty() {
        return None;
    }
    let first = spans.first()?;
    let here = |id| spans.iter().any(|span| Some(span.id) == id);
    let entering = spans.iter().find(|span| !here(span.parent)).unwrap_or(first);
    let root = spans.iter().find(|span| span.parent.is_none()).unwrap_or(entering);
    let last_end = spans.iter().map(|span| span.end).max()?;
    let names: BTreeSet<&str> = spans.iter().map(service).collect();
    let mut spansets: Vec<_> = sets
        .into_iter()
        .map(|set| (set.spans.iter().map(|at| spans[*at].id).collect::<Vec<_>>(), printed(&set.attributes)))
        .collect();
    spansets.sort_by(|left, right| left.0.cmp(&right.0));
    Some(ExpectedTrace {
        id: first.trace,
        root: (service(root).to_owned(), root.name.to_string()),
        start: first.start,
        duration: last_end.saturating_sub(first.start),
        services: names
            .into_iter()
            .map(|name| {
                let here: Vec<&Span> = spans.iter().filter(|span| service(span) == name).collect();
                let errors = here.iter().filter(|span| span.status == SpanStatus::Error).count();
                (name.to_owned(), ServiceStats { spans: here.len() as u32, errors: errors as u32 })
            })
            .collect(),
        spansets,
    })
}

/// Values as text: NaN equals NaN, and numbers are rounded, because the order of additions differs.
pub(crate) fn printed(attributes: &[(String, SpanValue)]) -> SetLabels {
    attributes.iter().map(|(name, value)| (name.clone(), print(value))).collect()
}

fn print(value: &SpanValue) -> String {
    match value {
        SpanValue::Int(number) => format!("{:.6e}", *number as f64),
        // Adding positive zero turns negative zero into zero.
        SpanValue::Float(number) => format!("{:.6e}", number + 0.0),
        SpanValue::List(list) => list.iter().map(print).collect::<Vec<_>>().join(", "),
        other => format!("{other:?}"),
    }
}

fn service(span: &Span) -> &str {
    let named = span.resource.attributes.iter().find(|(key, _)| key == "service.name");
    match named {
        Some((_, SpanValue::Text(name))) => name,
        _ => "",
    }
}
