//! Evaluates a query on a trace and builds its search result.

use super::budget::QueryBudget;
use crate::codec;
use baton_span_ports::{ServiceStats, SpanMatch, SpansetMatch, TraceMatch};
use baton_traceql::{Aliases, Query, QueryError, SearchPlan, Spanset, TraceAnswer, TraceSpans};
use baton_types::{Span, SpanId, SpanStatus, SpanValue, TraceId};
use std::collections::{BTreeMap, HashSet};

/// Evaluates one query on traces.
pub(super) struct TraceEvaluator {
    query: SearchPlan,
    spans_per_spanset: usize,
}

impl TraceEvaluator {
    pub(super) fn new(query: &Query, aliases: Aliases, spans_per_spanset: usize) -> Result<Self, QueryError> {
        Ok(Self { query: SearchPlan::new(query, aliases)?, spans_per_spanset })
    }

    /// Evaluates the trace, whose spans are sorted by start time, within `room` bytes of memory.
    pub(super) fn evaluate(
        &self,
        id: TraceId,
        trace: &TraceSpans,
        budget: &QueryBudget,
        room: usize,
    ) -> EvaluationOutcome {
        let late = || budget.is_expired();
        let Some(answer) = self.query.answer(trace, &late) else { return EvaluationOutcome::Aborted };
        if answer.spansets().is_empty() {
            return EvaluationOutcome::NoMatch;
        }
        let root = root(&trace.spans);
        let start = trace.spans.first().map_or(0, |span| span.start);
        let end = trace.spans.iter().map(|span| span.end).max().unwrap_or(start);
        let mut found = TraceMatch {
            id,
            root_service: root.and_then(Span::service).unwrap_or_default().to_owned(),
            root_name: root.map(|span| span.name.to_string()).unwrap_or_default(),
            start,
            duration: end.saturating_sub(start),
            spansets: Vec::new(),
            services: services(&trace.spans),
        };
        let mut weight = size_of::<TraceMatch>() + found.root_service.len() + found.root_name.len();
        weight += found.services.iter().map(|service| size_of_val(service) + service.0.len()).sum::<usize>();
        for spanset in answer.spansets().iter().take(budget.spansets) {
            if weight > room {
                break;
            }
            let (spanset_match, more) = self.spanset(trace, &answer, spanset, room.saturating_sub(weight));
            weight += more;
            found.spansets.push(spanset_match);
        }
        let is_complete = found.spansets.len() == answer.spansets().len() && weight <= room;
        EvaluationOutcome::Found { found, weight, is_complete }
    }

    fn spanset(
        &self,
        trace: &TraceSpans,
        answer: &TraceAnswer<'_>,
        spanset: &Spanset,
        room: usize,
    ) -> (SpansetMatch, usize) {
        let attribute_bytes = |(name, value): &(String, SpanValue)| {
            size_of::<(String, SpanValue)>() + name.len() + codec::heap_weight(value)
        };
        let mut weight = size_of::<SpansetMatch>() + spanset.attributes.iter().map(attribute_bytes).sum::<usize>();
        let mut spans = Vec::new();
        for &index in spanset.spans.iter().take(self.spans_per_spanset) {
            if weight > room {
                break;
            }
            let Some(span) = trace.spans.get(index) else { continue };
            let attributes = answer.selected_attributes(index).attributes;
            weight += size_of::<SpanMatch>() + span.name.len() + codec::attributes_weight(&attributes);
            spans.push(SpanMatch {
                id: span.id,
                name: span.name.clone(),
                start: span.start,
                duration: span.duration(),
                status: span.status,
                attributes,
            });
        }
        let matched = u32::try_from(spanset.spans.len()).unwrap_or(u32::MAX);
        (SpansetMatch { spans, matched, attributes: spanset.attributes.clone() }, weight)
    }
}

/// Outcome of an evaluation.
pub(super) enum EvaluationOutcome {
    /// The trace does not match.
    NoMatch,
    Found {
        found: TraceMatch,
        /// Approximate memory in bytes.
        weight: usize,
        /// Whether nothing was left out for lack of memory.
        is_complete: bool,
    },
    /// The evaluation exceeds the time or memory limit.
    Aborted,
}

/// The first span without a parent; if there is none, the first whose parent is missing, because the clocks of
/// processes and of the journal differ.
fn root(spans: &[Span]) -> Option<&Span> {
    let known: HashSet<SpanId> = spans.iter().map(|span| span.id).collect();
    let has_root = |span: &&Span| span.parent.is_none();
    let enters = |span: &&Span| span.parent.is_some_and(|parent| !known.contains(&parent));
    spans.iter().find(has_root).or_else(|| spans.iter().find(enters)).or(spans.first())
}

fn services(spans: &[Span]) -> Vec<(String, ServiceStats)> {
    let mut services: BTreeMap<&str, ServiceStats> = BTreeMap::new();
    for span in spans {
        let stats = services.entry(span.service().unwrap_or_default()).or_default();
        stats.spans += 1;
        stats.errors += u32::from(span.status == SpanStatus::Error);
    }
    services.into_iter().map(|(name, stats)| (name.to_owned(), stats)).collect()
}
