//! Counts trace by trace.

use super::{LeafCounter, MetricsContext, duplicates::WholeTraces};
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
        let plan = self.plan()?;
        self.count_candidates(&plan)
    }

    pub(super) fn plan(&self) -> Result<TracePlan, SpanStoreError> {
        let MetricsContext { measure, segments, aliases, budget, .. } = self.context;
        TracePlan::new(&measure.predicate(self.leaf), segments, aliases, budget)
    }

    /// Counts every trace that may meet the plan.
    pub(super) fn count_candidates(&mut self, plan: &TracePlan) -> Result<(), SpanStoreError> {
        let context = self.context;
        let Some(mut candidates) = TraceCandidates::new(context.segments, plan, context.time, context.budget)? else {
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

    /// Counts those of the traces that may meet the plan.
    pub(super) fn count_whole_traces(&mut self, plan: &TracePlan, whole: &WholeTraces) -> Result<(), SpanStoreError> {
        let mut ordinals = vec![None; self.context.segments.len()];
        for parts in &whole.traces {
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
