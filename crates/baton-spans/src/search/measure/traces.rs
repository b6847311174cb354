//! Counts trace by trace.

use super::{Counting, once::Once};
use crate::search::{
    candidates::{Candidates, Next},
    gather::{Gathered, gather_parts},
    plan::Plan,
};
use baton_ports::SpanStoreError;
use baton_traceql::Trace;

impl Counting<'_> {
    /// Counts every trace that may contribute to the leaf.
    pub(super) fn by_traces(&mut self) -> Result<(), SpanStoreError> {
        let asked = self.asked;
        let plan = Plan::new(&asked.measure.need(self.leaf), asked.segments, asked.aliases, asked.budget)?;
        let Some(mut candidates) = Candidates::new(asked.segments, &plan, asked.time, asked.budget)? else {
            self.give_up();
            return Ok(());
        };
        let mut read = 0;
        loop {
            let candidate = match candidates.next(0)? {
                Next::Candidate(candidate) => candidate,
                Next::Done => return Ok(()),
                Next::OutOfTime => {
                    self.give_up();
                    return Ok(());
                }
            };
            read += 1;
            if read > asked.budget.traces || !self.add(&candidate.ordinals)? {
                self.give_up();
                return Ok(());
            }
        }
    }

    /// Counts the traces that cannot be counted by rows.
    pub(super) fn by_traces_of(&mut self, once: &Once) -> Result<(), SpanStoreError> {
        if once.traces.is_empty() {
            return Ok(());
        }
        let asked = self.asked;
        let plan = Plan::new(&asked.measure.need(self.leaf), asked.segments, asked.aliases, asked.budget)?;
        let mut ordinals = vec![None; asked.segments.len()];
        for parts in &once.traces {
            ordinals.fill(None);
            parts.iter().for_each(|(segment, ordinal)| ordinals[*segment as usize] = Some(*ordinal));
            if plan.met_by(&ordinals) && !self.add(&ordinals)? {
                self.give_up();
                return Ok(());
            }
        }
        Ok(())
    }

    /// Counts the trace with these ordinals; false if the deadline has passed.
    fn add(&mut self, ordinals: &[Option<u32>]) -> Result<bool, SpanStoreError> {
        let asked = self.asked;
        if asked.budget.is_late() {
            return Ok(false);
        }
        let (gathered, bytes) = gather_parts(asked.segments, ordinals, asked.parts, asked.budget)?;
        self.answer.inspected_bytes += bytes;
        let spans = match gathered {
            Gathered::Whole(spans) => spans,
            Gathered::TooLarge => {
                self.give_up();
                return Ok(true);
            }
            Gathered::OutOfTime => return Ok(false),
        };
        self.answer.inspected_spans += spans.len() as u64;
        self.tally.check_room()?;
        let late = || asked.budget.is_late();
        Ok(asked.measure.add_trace(self.leaf, &mut self.tally, &Trace { spans }, &late))
    }
}
