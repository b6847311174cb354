//! Questions cut into pieces that a Tempo answers: it refuses longer ranges.

use crate::join::Function;
use baton_ports::TimeRange;
use baton_traceql::Steps;
use std::time::Duration;

const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3600 * SECOND;

/// The longest range of one search, in seconds.
const LONGEST_SEARCH: u64 = 168 * 3600;

/// The longest range of one metrics query.
const LONGEST_METRICS: u64 = 24 * HOUR;

/// Most pieces of one question; what is older is left out.
const MOST: usize = 64;

/// Clocks of two machines differ by less than this.
const SKEW: u64 = 60 * SECOND;

/// Stretches of time in whole seconds, newest first.
pub(crate) struct Stretches {
    /// From and to.
    pub(crate) each: Vec<(u64, u64)>,
    /// Whether they are all there is to ask for.
    pub(crate) whole: bool,
}

/// The stretches of a search. Without a beginning it goes back as far as `history`.
pub(crate) fn stretches(range: TimeRange, now: u64, history: Duration) -> Stretches {
    let history = u64::try_from(history.as_nanos()).unwrap_or(u64::MAX);
    let start = if range.start == 0 { now.saturating_sub(history) } else { range.start } / SECOND;
    let mut end = range.end.min(now.saturating_add(SKEW)).div_ceil(SECOND);
    let mut each = Vec::new();
    while end > start && each.len() < MOST {
        let from = start.max(end.saturating_sub(LONGEST_SEARCH));
        each.push((from, end));
        end = from;
    }
    // A range of no length, or one that lies ahead, is still asked for.
    if each.is_empty() {
        each.push((start, start + 1));
        return Stretches { each, whole: true };
    }
    Stretches { each, whole: end <= start }
}

/// A piece of a metrics query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Whole intervals that follow each other.
    Intervals {
        /// The number of the first.
        first: usize,
        /// The intervals.
        steps: Steps,
    },
    /// One interval, or a part of it.
    Part {
        /// Its number.
        index: usize,
        /// When the part begins.
        start: u64,
        /// When it ends, which is no more in it.
        end: u64,
    },
}

impl Piece {
    /// What is measured for it.
    pub(crate) fn steps(&self) -> Steps {
        match self {
            Self::Intervals { steps, .. } => *steps,
            Self::Part { start, end, .. } => Steps::whole(*start, *end),
        }
    }
}

/// When an interval begins.
pub(crate) fn start_of(steps: &Steps, index: usize) -> u64 {
    index.checked_sub(1).map_or(steps.start(), |before| steps.end_of(before))
}

/// How long each interval is.
pub(crate) fn length(steps: &Steps) -> u64 {
    steps.end_of(0).saturating_sub(steps.start()).max(1)
}

/// The whole intervals from one to before another.
pub(crate) fn intervals(steps: &Steps, first: usize, after: usize) -> Vec<Piece> {
    let part = |index| Piece::Part { index, start: start_of(steps, index), end: steps.end_of(index) };
    let Some(last) = after.checked_sub(1).filter(|last| *last > first) else {
        // One interval has no neighbours to keep step with, so it may begin at any time.
        return (first..after).map(part).collect();
    };
    let start = start_of(steps, first);
    let inner = Steps::cover(start, steps.end_of(last), length(steps));
    match inner.filter(|inner| inner.count() == after - first && inner.start() == start) {
        Some(steps) => vec![Piece::Intervals { first, steps }],
        None => (first..after).rev().map(part).collect(),
    }
}

/// The pieces of a metrics query, newest first, and whether they are all.
pub(crate) fn measured(steps: &Steps, function: Function) -> (Vec<Piece>, bool) {
    let each = length(steps);
    let mut pieces = Vec::new();
    if each > LONGEST_METRICS {
        for index in (0..steps.count()).rev() {
            pieces.extend(parts(index, start_of(steps, index), steps.end_of(index), function));
        }
    } else {
        let together = usize::try_from(LONGEST_METRICS / each).unwrap_or(usize::MAX);
        let mut after = steps.count();
        while after > 0 && pieces.len() <= MOST {
            let first = after.saturating_sub(together);
            pieces.extend(intervals(steps, first, after));
            after = first;
        }
    }
    let whole = pieces.len() <= MOST;
    pieces.truncate(MOST);
    (pieces, whole)
}

/// A long interval in parts, where what was measured of parts says what holds for all of them.
fn parts(index: usize, start: u64, end: u64, function: Function) -> Vec<Piece> {
    if function == Function::Other {
        return vec![Piece::Part { index, start, end }];
    }
    let mut parts = Vec::new();
    let mut until = end;
    while until > start && parts.len() <= MOST {
        let from = start.max(until.saturating_sub(LONGEST_METRICS));
        parts.push(Piece::Part { index, start: from, end: until });
        until = from;
    }
    parts
}
