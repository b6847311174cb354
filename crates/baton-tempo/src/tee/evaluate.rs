//! Evaluates a query on a trace merged from both stores.

use baton_span_ports::{ServiceStats, SpanMatch, SpansetMatch, TraceMatch};
use baton_traceql::{SearchPlan, TraceSpans};
use baton_types::{Span, SpanId, SpanStatus, TraceId};
use std::collections::{BTreeMap, HashSet};

/// Maximum number of spansets per trace.
const MAX_SPANSETS: usize = 128;

/// Match of the trace, if the query matches; `spans` are sorted by start time. Fails if the evaluation takes too long.
pub(super) fn evaluate_trace(
    query: &SearchPlan,
    id: TraceId,
    spans: Vec<Span>,
    spans_per_spanset: usize,
    late: &dyn Fn() -> bool,
) -> Result<Option<TraceMatch>, EvaluationTimeout> {
    let trace = TraceSpans { spans };
    let answer = query.answer(&trace, late).ok_or(EvaluationTimeout)?;
    if answer.spansets().is_empty() {
        return Ok(None);
    }
    let shown = |index: usize| {
        let span = trace.spans.get(index)?;
        Some(SpanMatch {
            id: span.id,
            name: span.name.clone(),
            start: span.start,
            duration: span.duration(),
            status: span.status,
            attributes: answer.selected_attributes(index).attributes,
        })
    };
    let sets = answer.spansets().iter().take(MAX_SPANSETS).map(|set| SpansetMatch {
        spans: set.spans.iter().take(spans_per_spanset).filter_map(|index| shown(*index)).collect(),
        matched: u32::try_from(set.spans.len()).unwrap_or(u32::MAX),
        attributes: set.attributes.clone(),
    });
    let root = root(&trace.spans);
    let start = trace.spans.first().map_or(0, |span| span.start);
    let end = trace.spans.iter().map(|span| span.end).max().unwrap_or(start);
    Ok(Some(TraceMatch {
        id,
        root_service: root.and_then(Span::service).unwrap_or_default().to_owned(),
        root_name: root.map(|span| span.name.to_string()).unwrap_or_default(),
        start,
        duration: end.saturating_sub(start),
        spansets: sets.collect(),
        services: service_stats(&trace.spans),
    }))
}

/// The evaluation timed out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct EvaluationTimeout;

/// First span without a parent, or else the first whose parent is not in the trace.
fn root(spans: &[Span]) -> Option<&Span> {
    let known: HashSet<SpanId> = spans.iter().map(|span| span.id).collect();
    let enters = |span: &&Span| span.parent.is_some_and(|parent| !known.contains(&parent));
    let without = spans.iter().find(|span| span.parent.is_none());
    without.or_else(|| spans.iter().find(enters)).or(spans.first())
}

/// Span and error counts of a trace by service name.
pub(super) fn service_stats(spans: &[Span]) -> Vec<(String, ServiceStats)> {
    let mut services: BTreeMap<&str, ServiceStats> = BTreeMap::new();
    for span in spans {
        let stats = services.entry(span.service().unwrap_or_default()).or_default();
        stats.spans += 1;
        stats.errors += u32::from(span.status == SpanStatus::Error);
    }
    services.into_iter().map(|(name, stats)| (name.to_owned(), stats)).collect()
}
