//! Counts trace by trace.

use super::{LeafCounter, duplicates::DuplicateTraces};
use crate::search::{
    candidates::{CandidateStep, TraceCandidates},
    gather::{GatherOutcome, gather_parts},
    plan::TracePlan,
};
use baton_span_ports::SpanStoreError;
use baton_traceql::TraceSpans;

impl LeafCounter<'_> {
    /// Counts every trace that may contribute to the leaf.
    pub(super) fn count_traces(&mut self) -> Result<(), SpanStoreError> {
        let context = self.context;
        let plan =
            TracePlan::new(&context.measure.predicate(self.leaf), context.segments, context.aliases, context.budget)?;
        let Some(mut candidates) = TraceCandidates::new(context.segments, &plan, context.time, context.budget)? else {
            self.mark_partial();
            return Ok(());
        };
        let mut read = 0;
        loop {
            let candidate = match candidates.next(0)? {
                CandidateStep::Candidate(candidate) => candidate,
                CandidateStep::Done => return Ok(()),
                CandidateStep::OutOfTime => {
                    self.mark_partial();
                    return Ok(());
                }
            };
            read += 1;
            if read > context.budget.traces || !self.add(&candidate.ordinals)? {
                self.mark_partial();
                return Ok(());
            }
        }
    }

    /// Counts the traces that cannot be counted by rows.
    pub(super) fn count_duplicate_traces(&mut self, once: &DuplicateTraces) -> Result<(), SpanStoreError> {
        if once.traces.is_empty() {
            return Ok(());
        }
        let context = self.context;
        let plan =
            TracePlan::new(&context.measure.predicate(self.leaf), context.segments, context.aliases, context.budget)?;
        let mut ordinals = vec![None; context.segments.len()];
        for parts in &once.traces {
            ordinals.fill(None);
            parts.iter().for_each(|(segment, ordinal)| ordinals[*segment as usize] = Some(*ordinal));
            if plan.may_match(&ordinals) && !self.add(&ordinals)? {
                self.mark_partial();
                return Ok(());
            }
        }
        Ok(())
    }

    /// Counts the trace with these ordinals; false if the deadline has passed.
    fn add(&mut self, ordinals: &[Option<u32>]) -> Result<bool, SpanStoreError> {
        let context = self.context;
        if context.budget.is_expired() {
            return Ok(false);
        }
        let (gathered, bytes) = gather_parts(context.segments, ordinals, context.parts, context.budget)?;
        self.answer.inspected_bytes += bytes;
        let spans = match gathered {
            GatherOutcome::Whole(spans) => spans,
            GatherOutcome::TooLarge => {
                self.mark_partial();
                return Ok(true);
            }
            GatherOutcome::OutOfTime => return Ok(false),
        };
        self.answer.inspected_spans += spans.len() as u64;
        self.tally.check_room()?;
        let late = || context.budget.is_expired();
        Ok(context.measure.add_trace(self.leaf, &mut self.tally, &TraceSpans { spans }, &late))
    }
}
