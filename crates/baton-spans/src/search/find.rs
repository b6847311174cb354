//! Executes a search.

use super::{
    budget::Budget,
    candidates::{Candidate, Candidates, Next},
    found::{Teller, Told},
    gather::{Gathered, gather_parts},
    plan::Plan,
};
use crate::{codec::Parts, segment::Segment};
use baton_ports::{SpanStoreError, TraceMatch, TraceSearchRequest, TraceSearchResult};
use baton_traceql::{Aliases, Trace, need};
use baton_types::TraceId;
use std::{cmp::Reverse, collections::BTreeMap, sync::Arc};

/// Executes a search: the traces that began last, each with its matches.
///
/// The result does not depend on the distribution of spans over segments.
pub(crate) fn search(
    segments: &[Arc<dyn Segment>],
    ask: &TraceSearchRequest,
    budget: &Budget,
) -> Result<TraceSearchResult, SpanStoreError> {
    if ask.limit == 0 {
        return Ok(TraceSearchResult::default());
    }
    let aliases = if ask.aliases { Aliases(baton_telemetry::ALIASES) } else { Aliases::NONE };
    let teller = Teller::new(&ask.query, aliases, ask.spans_per_spanset)?;
    let parts = Parts::of(&ask.query, aliases);
    let plan = Plan::new(&need(&ask.query, aliases), segments, aliases, budget)?;
    let mut answer = TraceSearchResult::default();
    let Some(mut candidates) = Candidates::new(segments, &plan, ask.range, budget)? else {
        return Ok(TraceSearchResult { partial: true, ..answer });
    };
    let mut best = Best { limit: ask.limit, traces: BTreeMap::new(), weight: 0 };
    loop {
        let candidate = match candidates.next(best.floor())? {
            Next::Candidate(candidate) => candidate,
            Next::Done => break,
            Next::OutOfTime => {
                answer.partial = true;
                break;
            }
        };
        if !best.takes(&candidate) {
            continue;
        }
        if answer.inspected_traces >= budget.traces || best.weight >= budget.told || budget.is_late() {
            answer.partial = true;
            break;
        }
        let (gathered, bytes) = gather_parts(segments, &candidate.ordinals, &parts, budget)?;
        answer.inspected_traces += 1;
        answer.inspected_bytes += bytes;
        let spans = match gathered {
            Gathered::Whole(spans) => spans,
            Gathered::TooLarge => {
                answer.partial = true;
                continue;
            }
            Gathered::OutOfTime => {
                answer.partial = true;
                break;
            }
        };
        if !spans.iter().any(|span| ask.range.overlaps(span.start, span.end.max(span.start))) {
            continue;
        }
        match teller.tell(candidate.id, &Trace { spans }, budget, budget.told.saturating_sub(best.weight)) {
            Told::Nothing => {}
            Told::Found { found, weight, whole } => {
                answer.partial |= !whole;
                best.add(found, weight);
            }
            Told::GivenUp => answer.partial = true,
        }
    }
    answer.traces = best.traces.into_values().map(|(found, _)| found).collect();
    Ok(answer)
}

/// The newest matching traces so far; among equal start times, those with the lower ids.
struct Best {
    limit: usize,
    traces: BTreeMap<(Reverse<u64>, TraceId), (TraceMatch, usize)>,
    /// Approximate memory in bytes.
    weight: usize,
}

impl Best {
    /// Traces that began before this cannot be in the result.
    fn floor(&self) -> u64 {
        self.worst().map_or(0, |(start, _)| start)
    }

    fn worst(&self) -> Option<(u64, TraceId)> {
        let full = self.traces.len() >= self.limit;
        self.traces.last_key_value().filter(|_| full).map(|((Reverse(start), id), _)| (*start, *id))
    }

    fn takes(&self, candidate: &Candidate) -> bool {
        let place = (Reverse(candidate.start), candidate.id);
        self.worst().is_none_or(|(start, id)| place < (Reverse(start), id))
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
