//! What queries mean, once more: written down as simply as possible, slow, and sharing nothing with the engine but the
//! tree of the query. Whatever the engine answers, over whatever segments, is compared with this.

pub(crate) mod dice;
pub(crate) mod expr;
pub(crate) mod pipeline;
pub(crate) mod queries;
pub(crate) mod spans;

use baton_ports::{ServiceStats, TimeRange};
use baton_traceql::{PipelineExpr, Query, Root};
use baton_types::{Span, SpanId, SpanStatus, SpanValue, TraceId};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// What was said about a set, as text.
pub(crate) type Said = Vec<(String, String)>;

/// A trace that answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Told {
    pub(crate) id: TraceId,
    pub(crate) root: (String, String),
    pub(crate) start: u64,
    pub(crate) duration: u64,
    pub(crate) services: Vec<(String, ServiceStats)>,
    /// Spans by start time and id, with what `by` and aggregates said; the sets in the order of their spans.
    pub(crate) spansets: Vec<(Vec<SpanId>, Said)>,
}

/// What spans answer, newest trace first; a span that occurs twice counts once.
pub(crate) fn answer(query: &Query, spans: &[Span], range: TimeRange) -> Vec<Told> {
    let Root::Search(pipeline) = &query.root else { panic!("not a search: {query:?}") };
    let mut traces: BTreeMap<TraceId, BTreeMap<SpanId, Span>> = BTreeMap::new();
    for span in spans {
        traces.entry(span.trace).or_default().insert(span.id, span.clone());
    }
    let mut told: Vec<Told> = traces
        .into_values()
        .filter_map(|spans| {
            let mut spans: Vec<Span> = spans.into_values().collect();
            spans.sort_by_key(|span| (span.start, span.id));
            let in_time = spans.iter().any(|span| span.start <= range.end && span.end.max(span.start) >= range.start);
            in_time.then(|| tell(pipeline, &spans)).flatten()
        })
        .collect();
    told.sort_by_key(|told| (Reverse(told.start), told.id));
    told
}

fn tell(pipeline: &PipelineExpr, spans: &[Span]) -> Option<Told> {
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
    Some(Told {
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

/// Values as text: two that are not numbers are the same, and so are numbers up to how they were added.
pub(crate) fn printed(attributes: &[(String, SpanValue)]) -> Said {
    attributes.iter().map(|(name, value)| (name.clone(), print(value))).collect()
}

fn print(value: &SpanValue) -> String {
    match value {
        SpanValue::Int(number) => format!("{:.6e}", *number as f64),
        // Adding makes zero of what is zero below zero.
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
