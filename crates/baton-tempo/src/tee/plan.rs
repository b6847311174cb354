//! Who measures what: neither leaves a gap, and nothing is measured twice.

use crate::{
    join::Function,
    pieces::{Piece, intervals, start_of},
};
use baton_traceql::Steps;

/// How much later than it happened a Tempo may show something.
const LAG: u64 = 120 * 1_000_000_000;

/// The pieces of a metrics query by who measures them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// The store here.
    pub(super) here: Vec<Piece>,
    /// The Tempo.
    pub(super) there: Vec<Piece>,
    /// Whether something that has just happened is left to the Tempo, which may not show it yet.
    pub(super) doubtful: bool,
}

/// What is known when the work is shared.
pub(super) struct Seam {
    /// Where the hot window begins.
    pub(super) at: u64,
    /// The present moment.
    pub(super) now: u64,
    /// When the oldest span that is kept here began; none when there are none.
    pub(super) oldest_here: Option<u64>,
}

impl Plan {
    /// The intervals since the seam are measured here, those before it there. One that the seam runs through is the
    /// Tempo's if the Tempo shows all of it by now; otherwise each measures its part, where parts can be put together.
    pub(super) fn new(steps: &Steps, function: Function, seam: &Seam) -> Self {
        let count = steps.count();
        // The first that begins at the seam or after it.
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
            // What has just happened is left to the Tempo only where that is said.
            let fresh = now.saturating_sub(LAG).max(seam.at);
            prop_assert!(plan.doubtful || plan.there.iter().all(|piece| stretch(piece).1 <= fresh));
        }
    }
}
