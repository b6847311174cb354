//! Splits a metrics query between the two stores, without gaps or overlaps.

use crate::{
    join::Function,
    pieces::{MetricsPiece, interval_start, intervals},
};
use baton_traceql::Steps;

/// Maximum delay until a Tempo returns a new span.
const MAX_INGEST_LAG: u64 = 120 * 1_000_000_000;

/// Pieces of a metrics query by store.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MetricsSplitPlan {
    /// Pieces for the local store.
    pub(super) local: Vec<MetricsPiece>,
    /// Pieces for the Tempo.
    pub(super) remote: Vec<MetricsPiece>,
    /// Whether the Tempo measures a recent interval whose spans it may not return yet.
    pub(super) may_miss_recent: bool,
}

/// Inputs of the split.
pub(super) struct SplitPoint {
    /// Start of the hot window.
    pub(super) at: u64,
    /// Current time.
    pub(super) now: u64,
    /// Start of the oldest span in the local store, if it has spans.
    pub(super) oldest_local: Option<u64>,
}

impl MetricsSplitPlan {
    /// The local store measures the intervals from the split point on, the Tempo those before it. An interval across
    /// the split point goes to the Tempo if the Tempo has all of its spans by now; otherwise each store measures its
    /// part, if parts can be combined.
    pub(super) fn new(steps: &Steps, function: Function, split_point: &SplitPoint) -> Self {
        let count = steps.count();
        // First interval that starts at or after the split point.
        let hot = (0..count).find(|index| interval_start(steps, *index) >= split_point.at).unwrap_or(count);
        let Some(cut) = hot.checked_sub(1).filter(|cut| steps.end_of(*cut) > split_point.at) else {
            return Self {
                local: intervals(steps, hot, count),
                remote: intervals(steps, 0, hot),
                may_miss_recent: false,
            };
        };
        let (start, end) = (interval_start(steps, cut), steps.end_of(cut));
        if end.saturating_add(MAX_INGEST_LAG) <= split_point.now {
            return Self {
                local: intervals(steps, hot, count),
                remote: intervals(steps, 0, hot),
                may_miss_recent: false,
            };
        }
        let mut plan =
            Self { local: intervals(steps, hot, count), remote: intervals(steps, 0, cut), may_miss_recent: false };
        if function != Function::Other {
            plan.local.push(MetricsPiece::Part { index: cut, start: split_point.at, end });
            plan.remote.push(MetricsPiece::Part { index: cut, start, end: split_point.at });
        } else if split_point.oldest_local.is_some_and(|oldest| oldest <= start) {
            plan.local.push(MetricsPiece::Part { index: cut, start, end });
        } else {
            plan.remote.push(MetricsPiece::Part { index: cut, start, end });
            plan.may_miss_recent = true;
        }
        plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: u64 = 1_000_000_000;

    fn time_range(piece: &MetricsPiece) -> (u64, u64) {
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
            let steps = if whole { Some(Steps::single(first, last)) } else { Steps::cover(first, last, step * SECOND) };
            let steps = steps.filter(|steps| steps.count() < 2_000);
            prop_assume!(steps.is_some());
            let Some(steps) = steps else { return Ok(()) };
            let now = last;
            let seam = SplitPoint { at: now.saturating_sub(hot * SECOND), now, oldest_local: oldest.map(|at| at * SECOND) };
            let function = if summed { Function::Sum } else { Function::Other };
            let plan = MetricsSplitPlan::new(&steps, function, &seam);
            let mut covered: Vec<(u64, u64)> = plan.local.iter().chain(&plan.remote).map(time_range).collect();
            covered.sort_unstable();
            let mut until = steps.start();
            for (from, to) in covered {
                prop_assert_eq!(from, until);
                prop_assert!(to > from);
                until = to;
            }
            prop_assert_eq!(until, steps.end_of(steps.count() - 1));
            // The Tempo measures recent spans only if the plan is marked `may_miss_recent`.
            let fresh = now.saturating_sub(MAX_INGEST_LAG).max(seam.at);
            prop_assert!(plan.may_miss_recent || plan.remote.iter().all(|piece| time_range(piece).1 <= fresh));
        }
    }
}
