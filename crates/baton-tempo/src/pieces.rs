//! Splits queries into time ranges short enough for a Tempo, which rejects longer ones.

use crate::join::Function;
use baton_ports::TimeRange;
use baton_traceql::Steps;
use std::time::Duration;

const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3600 * SECOND;

/// Maximum range of one search, in seconds.
const LONGEST_SEARCH: u64 = 168 * 3600;

/// Maximum range of one metrics query.
const LONGEST_METRICS: u64 = 24 * HOUR;

/// Maximum number of pieces per query; older pieces are omitted.
const MOST: usize = 64;

/// Assumed maximum clock skew between two machines.
const SKEW: u64 = 60 * SECOND;

/// Time windows in whole seconds, newest first.
pub(crate) struct Stretches {
    /// Start and end of each window.
    pub(crate) each: Vec<(u64, u64)>,
    /// Whether the windows cover the whole requested range.
    pub(crate) whole: bool,
}

/// Windows of a search. A range without a start goes back by `history`.
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
    // An empty or future range still gets one window.
    if each.is_empty() {
        each.push((start, start + 1));
        return Stretches { each, whole: true };
    }
    Stretches { each, whole: end <= start }
}

/// A piece of a metrics query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Consecutive whole intervals.
    Intervals {
        /// Index of the first interval.
        first: usize,
        steps: Steps,
    },
    /// One interval or a part of it.
    Part {
        /// Index of the interval.
        index: usize,
        /// Start of the part.
        start: u64,
        /// Exclusive end of the part.
        end: u64,
    },
}

impl Piece {
    /// Steps to request for this piece.
    pub(crate) fn steps(&self) -> Steps {
        match self {
            Self::Intervals { steps, .. } => *steps,
            Self::Part { start, end, .. } => Steps::whole(*start, *end),
        }
    }
}

/// Start of an interval.
pub(crate) fn start_of(steps: &Steps, index: usize) -> u64 {
    index.checked_sub(1).map_or(steps.start(), |before| steps.end_of(before))
}

/// Length of each interval.
pub(crate) fn length(steps: &Steps) -> u64 {
    steps.end_of(0).saturating_sub(steps.start()).max(1)
}

/// Pieces for the whole intervals `first..after`.
pub(crate) fn intervals(steps: &Steps, first: usize, after: usize) -> Vec<Piece> {
    let part = |index| Piece::Part { index, start: start_of(steps, index), end: steps.end_of(index) };
    let Some(last) = after.checked_sub(1).filter(|last| *last > first) else {
        // A single interval needs no alignment with neighbours, so it may start at any time.
        return (first..after).map(part).collect();
    };
    let start = start_of(steps, first);
    let inner = Steps::cover(start, steps.end_of(last), length(steps));
    match inner.filter(|inner| inner.count() == after - first && inner.start() == start) {
        Some(steps) => vec![Piece::Intervals { first, steps }],
        None => (first..after).rev().map(part).collect(),
    }
}

/// Pieces of a metrics query, newest first, and whether they cover the whole range.
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

/// Splits a long interval into parts, if the function can be combined from parts.
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
