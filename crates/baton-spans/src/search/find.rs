//! Answers a query.

use super::{
    candidates::{Candidate, Candidates, Next},
    found::Teller,
    gather::gather,
    plan::Plan,
};
use crate::segment::Segment;
use baton_ports::{FoundTrace, SearchAnswer, SearchAsk, SpanStoreError};
use baton_traceql::{Aliases, Trace, need};
use baton_types::TraceId;
use std::{cmp::Reverse, collections::BTreeMap, sync::Arc, time::Instant};

/// How much a search may cost before it answers with what it has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// When it must end.
    pub(crate) deadline: Instant,
    /// How many traces it may read.
    pub(crate) traces: u64,
}

/// Answers a query: the traces that began last, each with what matched.
///
/// Which traces those are does not depend on how spans are spread over segments.
pub(crate) fn search(
    segments: &[Arc<dyn Segment>],
    ask: &SearchAsk,
    budget: &Budget,
) -> Result<SearchAnswer, SpanStoreError> {
    if ask.limit == 0 {
        return Ok(SearchAnswer::default());
    }
    let aliases = if ask.aliases { Aliases(baton_telemetry::ALIASES) } else { Aliases::NONE };
    let teller = Teller::new(&ask.query, aliases, ask.spans_per_spanset)?;
    let plan = Plan::new(&need(&ask.query, aliases), segments, aliases)?;
    let mut candidates = Candidates::new(segments, &plan, ask.range, budget)?;
    let mut best = Best { limit: ask.limit, traces: BTreeMap::new() };
    let mut answer = SearchAnswer::default();
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
        if answer.inspected_traces >= budget.traces || Instant::now() >= budget.deadline {
            answer.partial = true;
            break;
        }
        let (spans, bytes) = gather(segments, &candidate.ordinals)?;
        answer.inspected_traces += 1;
        answer.inspected_bytes += bytes;
        if spans.iter().any(|span| ask.range.touches(span.start, span.end.max(span.start))) {
            teller.tell(candidate.id, &Trace { spans }).into_iter().for_each(|found| best.add(found));
        }
    }
    answer.traces = best.traces.into_values().collect();
    Ok(answer)
}

/// The traces that began last so far; of those that began together, those with the lower ids.
struct Best {
    limit: usize,
    traces: BTreeMap<(Reverse<u64>, TraceId), FoundTrace>,
}

impl Best {
    /// What began before this cannot be among the best.
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

    fn add(&mut self, found: FoundTrace) {
        self.traces.insert((Reverse(found.start), found.id), found);
        if self.traces.len() > self.limit {
            self.traces.pop_last();
        }
    }
}
