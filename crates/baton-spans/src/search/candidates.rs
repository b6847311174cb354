//! Candidate traces of a search, newest first, without duplicates and without materializing all of them.

use super::{
    budget::QueryBudget,
    plan::{TracePlan, in_any, size},
    window::windows,
};
use crate::segment::{Segment, TracePart};
use baton_span_ports::{SpanStoreError, TimeRange};
use baton_types::TraceId;
use roaring::RoaringBitmap;
use std::{cmp::Reverse, collections::BinaryHeap, sync::Arc};

/// Number of skipped traces between two deadline checks.
const DEADLINE_CHECK_INTERVAL: u32 = 64;

/// A trace that may match.
#[derive(Debug)]
pub(super) struct TraceCandidate {
    pub(super) id: TraceId,
    /// Start of its first span in any segment.
    pub(super) start: u64,
    /// Its ordinal in each segment.
    pub(super) ordinals: Vec<Option<u32>>,
}

/// Next item of the iteration.
#[derive(Debug)]
pub(super) enum CandidateStep {
    Candidate(TraceCandidate),
    /// All further traces began before the floor, or there are none.
    Done,
    OutOfTime,
}

/// Iterator over the traces that meet a plan and may overlap a time range.
///
/// A trace is returned when the latest of its iterated parts is reached. No trace begins after any of its parts, so
/// no later trace begins after the current part.
pub(super) struct TraceCandidates<'a> {
    segments: &'a [Arc<dyn Segment>],
    plan: &'a TracePlan,
    range: TimeRange,
    windows: Vec<RoaringBitmap>,
    /// The iterated traces.
    sets: Vec<RoaringBitmap>,
    walks: Vec<SegmentWalk>,
    /// The next part of each iteration, latest first; among equal start times the lower segment number first.
    heads: BinaryHeap<(u64, Reverse<usize>, WalkHead)>,
    budget: &'a QueryBudget,
    passed: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct WalkHead {
    ordinal: u32,
    id: TraceId,
    end: u64,
}

impl<'a> TraceCandidates<'a> {
    /// `None` if the deadline has passed.
    pub(super) fn new(
        segments: &'a [Arc<dyn Segment>],
        plan: &'a TracePlan,
        range: TimeRange,
        budget: &'a QueryBudget,
    ) -> Result<Option<Self>, SpanStoreError> {
        let Some(windows) = windows(segments, range, budget)? else { return Ok(None) };
        // The part of a trace that meets the plan and the part in the window may be in different segments. A matching
        // trace has both, so iterating over all parts of either kind finds it.
        let drivers = plan.drivers(segments);
        let sets = if size(&drivers) <= size(&windows) { drivers } else { windows.clone() };
        let mut candidates = Self {
            segments,
            plan,
            range,
            windows,
            walks: Vec::with_capacity(segments.len()),
            heads: BinaryHeap::with_capacity(segments.len()),
            sets,
            budget,
            passed: 0,
        };
        for (index, segment) in segments.iter().enumerate() {
            if budget.is_expired() {
                return Ok(None);
            }
            candidates.walks.push(SegmentWalk::new(segment.as_ref(), &candidates.sets[index])?);
            candidates.step(index)?;
        }
        Ok(Some(candidates))
    }

    /// The next trace that did not begin before the floor, as far as known.
    pub(super) fn next(&mut self, floor: u64) -> Result<CandidateStep, SpanStoreError> {
        while let Some((start, Reverse(index), head)) = self.heads.pop() {
            if start < floor {
                return Ok(CandidateStep::Done);
            }
            self.passed = self.passed.wrapping_add(1);
            if self.passed.is_multiple_of(DEADLINE_CHECK_INTERVAL) && self.budget.is_expired() {
                return Ok(CandidateStep::OutOfTime);
            }
            self.step(index)?;
            if let Some(candidate) = self.complete_candidate(index, head, start)? {
                return Ok(CandidateStep::Candidate(candidate));
            }
        }
        Ok(CandidateStep::Done)
    }

    fn step(&mut self, index: usize) -> Result<(), SpanStoreError> {
        if let Some((ordinal, part)) = self.walks[index].next(self.segments[index].as_ref())? {
            self.heads.push((part.start, Reverse(index), WalkHead { ordinal, id: part.id, end: part.end }));
        }
        Ok(())
    }

    /// The trace with all its parts, unless it was returned before, does not meet the plan, or is outside the time
    /// range.
    fn complete_candidate(
        &self,
        here: usize,
        head: WalkHead,
        start: u64,
    ) -> Result<Option<TraceCandidate>, SpanStoreError> {
        let mut candidate = TraceCandidate { id: head.id, start, ordinals: Vec::with_capacity(self.segments.len()) };
        let mut in_time = false;
        for (index, segment) in self.segments.iter().enumerate() {
            let ordinal = if index == here { Some(head.ordinal) } else { segment.ordinal(head.id)? };
            candidate.ordinals.push(ordinal);
            let Some(ordinal) = ordinal else { continue };
            let part =
                if index == here { TracePart { id: head.id, start, end: head.end } } else { segment.part(ordinal)? };
            let came_before =
                self.sets[index].contains(ordinal) && (part.start, Reverse(index)) > (start, Reverse(here));
            if came_before {
                return Ok(None);
            }
            candidate.start = candidate.start.min(part.start);
            in_time |= self.range.overlaps(part.start, part.end);
        }
        let may_answer =
            in_time && in_any(&self.windows, &candidate.ordinals) && self.plan.may_match(&candidate.ordinals);
        Ok(may_answer.then_some(candidate))
    }
}

/// The traces of one segment, newest first.
enum SegmentWalk {
    /// In ordinal order.
    Ordered(roaring::bitmap::IntoIter),
    /// Sorted here: the few traces of a head.
    Sorted(std::vec::IntoIter<(u32, TracePart)>),
}

impl SegmentWalk {
    fn new(segment: &dyn Segment, set: &RoaringBitmap) -> Result<Self, SpanStoreError> {
        if segment.newest_first() {
            return Ok(Self::Ordered(set.clone().into_iter()));
        }
        let parts = set.iter().map(|ordinal| Ok((ordinal, segment.part(ordinal)?)));
        let mut parts = parts.collect::<Result<Vec<_>, SpanStoreError>>()?;
        parts.sort_unstable_by_key(|(ordinal, part)| (Reverse(part.start), *ordinal));
        Ok(Self::Sorted(parts.into_iter()))
    }

    fn next(&mut self, segment: &dyn Segment) -> Result<Option<(u32, TracePart)>, SpanStoreError> {
        match self {
            Self::Ordered(ordinals) => ordinals.next().map(|ordinal| Ok((ordinal, segment.part(ordinal)?))).transpose(),
            Self::Sorted(parts) => Ok(parts.next()),
        }
    }
}
