//! Executes a search.

use super::{
    budget::QueryBudget,
    candidates::{CandidateStep, TraceCandidate, TraceCandidates},
    evaluator::{EvaluationOutcome, TraceEvaluator},
    gather::{GatherOutcome, gather_parts},
    plan::TracePlan,
};
use crate::{codec::SpanParts, segment::Segment};
use baton_span_ports::{SpanStoreError, TraceMatch, TraceSearchRequest, TraceSearchResult};
use baton_traceql::{Aliases, TraceSpans, pushdown_predicate};
use baton_types::TraceId;
use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

/// Executes a search: the traces that began last, each with its matches.
///
/// The result does not depend on the distribution of spans over segments.
pub(crate) fn search(
    segments: &[Arc<dyn Segment>],
    ask: &TraceSearchRequest,
    budget: &QueryBudget,
) -> Result<TraceSearchResult, SpanStoreError> {
    if ask.limit == 0 {
        return Ok(TraceSearchResult::default());
    }
    let aliases = if ask.aliases { Aliases(baton_telemetry::ALIASES) } else { Aliases::NONE };
    let evaluator = TraceEvaluator::new(&ask.query, aliases, ask.spans_per_spanset)?;
    let parts = SpanParts::from_query(&ask.query, aliases);
    let plan = TracePlan::new(&pushdown_predicate(&ask.query, aliases), segments, aliases, budget)?;
    let mut answer = TraceSearchResult::default();
    let Some(mut candidates) = TraceCandidates::new(segments, &plan, ask.range, budget)? else {
        return Ok(TraceSearchResult { partial: true, ..answer });
    };
    let mut best = NewestTraces { limit: ask.limit, traces: BTreeMap::new(), weight: 0 };
    loop {
        let candidate = match candidates.next(best.floor())? {
            CandidateStep::Candidate(candidate) => candidate,
            CandidateStep::Done => break,
            CandidateStep::OutOfTime => {
                answer.partial = true;
                break;
            }
        };
        if !best.accepts(&candidate) {
            continue;
        }
        if answer.inspected_traces >= budget.traces || best.weight >= budget.result_bytes || budget.is_expired() {
            answer.partial = true;
            break;
        }
        let (gathered, bytes) = gather_parts(segments, &candidate.ordinals, &parts, budget)?;
        answer.inspected_traces += 1;
        answer.inspected_bytes += bytes;
        let spans = match gathered {
            GatherOutcome::Whole(spans) => spans,
            GatherOutcome::TooLarge => {
                answer.partial = true;
                continue;
            }
            GatherOutcome::OutOfTime => {
                answer.partial = true;
                break;
            }
        };
        if !spans.iter().any(|span| ask.range.overlaps(span.start, span.end.max(span.start))) {
            continue;
        }
        match evaluator.evaluate(
            candidate.id,
            &TraceSpans { spans },
            budget,
            budget.result_bytes.saturating_sub(best.weight),
        ) {
            EvaluationOutcome::NoMatch => {}
            EvaluationOutcome::Found { found, weight, is_complete } => {
                answer.partial |= !is_complete;
                best.add(found, weight);
            }
            EvaluationOutcome::Aborted => answer.partial = true,
        }
    }
    answer.traces = best.traces.into_values().map(|(found, _)| found).collect();
    Ok(answer)
}

/// The newest matching traces so far; among equal start times, those with the lower ids.
struct NewestTraces {
    limit: usize,
    traces: BTreeMap<(Reverse<u64>, TraceId), (TraceMatch, usize)>,
    /// Approximate memory in bytes.
    weight: usize,
}

impl NewestTraces {
    /// Traces that began before this cannot be in the result.
    fn floor(&self) -> u64 {
        self.worst().map_or(0, |(start, _)| start)
    }

    fn worst(&self) -> Option<(u64, TraceId)> {
        let full = self.traces.len() >= self.limit;
        self.traces.last_key_value().filter(|_| full).map(|((Reverse(start), id), _)| (*start, *id))
    }

    fn accepts(&self, candidate: &TraceCandidate) -> bool {
        let key = (Reverse(candidate.start), candidate.id);
        self.worst().is_none_or(|(start, id)| key < (Reverse(start), id))
    }

    fn add(&mut self, found: TraceMatch, weight: usize) {
        self.weight += weight;
        self.traces.insert((Reverse(found.start), found.id), (found, weight));
        if self.traces.len() > self.limit
            && let Some((_, (_, weight))) = self.traces.pop_last()
        {
            self.weight -= weight;
        }
    }
}
