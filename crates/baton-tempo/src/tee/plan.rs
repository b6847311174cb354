//! Splits a metrics query between the two stores, without gaps or overlaps.

use crate::{
    join::Function,
    pieces::{Piece, intervals, start_of},
};
use baton_traceql::Steps;

/// Maximum delay until a Tempo returns a new span.
const LAG: u64 = 120 * 1_000_000_000;

/// Pieces of a metrics query by store.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Pieces for the local store.
    pub(super) here: Vec<Piece>,
    /// Pieces for the Tempo.
    pub(super) there: Vec<Piece>,
    /// Whether the Tempo measures a recent interval whose spans it may not return yet.
    pub(super) doubtful: bool,
}

/// Inputs of the split.
pub(super) struct Seam {
    /// Start of the hot window.
    pub(super) at: u64,
    /// Current time.
    pub(super) now: u64,
    /// Start of the oldest span in the local store, if it has spans.
    pub(super) oldest_here: Option<u64>,
}

impl Plan {
    /// The local store measures the intervals from the split point on, the Tempo those before it. An interval across
    /// the split point goes to the Tempo if the Tempo has all of its spans by now; otherwise each store measures its
    /// part, if parts can be combined.
    pub(super) fn new(steps: &Steps, function: Function, seam: &Seam) -> Self {
        let count = steps.count();
        // First interval that starts at or after the split point.
        let hot = (0..count).find(|index| start_of(steps, *index) >= seam.at).unwrap_or(count);
        let Some(cut) = hot.checked_sub(1).filter(|cut| steps.end_of(*cut) > seam.at) else {
            return Self { here: intervals(steps, hot, count), there: intervals(steps, 0, hot), doubtful: false };
        };
        let (start, end) = (start_of(steps, cut), steps.end_of(cut));
        if end.saturating_add(LAG) <= seam.now {
            return Self { here: intervals(steps, hot, count), there: intervals(steps, 0, hot), doubtful: false };
        }
        let mut plan = Self { here: intervals(steps, hot, count), there: intervals(steps, 0, cut), doubtful: false };
        if function != Function::Other {
            plan.here.push(Piece::Part { index: cut, start: seam.at, end });
            plan.there.push(Piece::Part { index: cut, start, end: seam.at });
        } else if seam.oldest_here.is_some_and(|oldest| oldest <= start) {
            plan.here.push(Piece::Part { index: cut, start, end });
        } else {
            plan.there.push(Piece::Part { index: cut, start, end });
            plan.doubtful = true;
        }
        plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: u64 = 1_000_000_000;

    fn stretch(piece: &Piece) -> (u64, u64) {
        let steps = piece.steps();
        (steps.start(), steps.end_of(steps.count() - 1))
    }

    proptest! {
        #[test]
        fn every_moment_is_measured_once(
            start in 0..100_000_u64,
            length in 1..50_000_u64,
            step in 1..9_000_u64,
            hot in 0..20_000_u64,
            whole: bool,
            summed: bool,
            oldest in prop::option::of(0..100_000_u64),
        ) {
            let (first, last) = (start * SECOND, (start + length) * SECOND);
            let steps = if whole { Some(Steps::whole(first, last)) } else { Steps::cover(first, last, step * SECOND) };
            let steps = steps.filter(|steps| steps.count() < 2_000);
            prop_assume!(steps.is_some());
            let Some(steps) = steps else { return Ok(()) };
            let now = last;
            let seam = Seam { at: now.saturating_sub(hot * SECOND), now, oldest_here: oldest.map(|at| at * SECOND) };
            let function = if summed { Function::Sum } else { Function::Other };
            let plan = Plan::new(&steps, function, &seam);
            let mut covered: Vec<(u64, u64)> = plan.here.iter().chain(&plan.there).map(stretch).collect();
            covered.sort_unstable();
            let mut until = steps.start();
            for (from, to) in covered {
                prop_assert_eq!(from, until);
                prop_assert!(to > from);
                until = to;
            }
            prop_assert_eq!(until, steps.end_of(steps.count() - 1));
            // The Tempo measures recent spans only if the plan is marked `doubtful`.
            let fresh = now.saturating_sub(LAG).max(seam.at);
            prop_assert!(plan.doubtful || plan.there.iter().all(|piece| stretch(piece).1 <= fresh));
        }
    }
}
