//! Splits queries into time ranges short enough for a Tempo, which rejects longer ones.

use crate::join::Function;
use baton_span_ports::TimeRange;
use baton_traceql::Steps;
use std::time::Duration;

const SECOND: u64 = 1_000_000_000;
const HOUR: u64 = 3600 * SECOND;

/// Maximum range of one search, in seconds.
const MAX_SEARCH_SECONDS: u64 = 168 * 3600;

/// Maximum range of one metrics query.
const MAX_METRICS_RANGE: u64 = 24 * HOUR;

/// Maximum number of pieces per query; older pieces are omitted.
const MAX_PIECES: usize = 64;

/// Assumed maximum clock skew between two machines.
const MAX_CLOCK_SKEW: u64 = 60 * SECOND;

/// Time windows in whole seconds, newest first.
pub(crate) struct SearchWindows {
    /// Start and end of each window.
    pub(crate) windows: Vec<(u64, u64)>,
    /// Whether the windows cover the whole requested range.
    pub(crate) complete: bool,
}

/// Windows of a search. A range without a start goes back by `history`.
pub(crate) fn split_search(range: TimeRange, now: u64, history: Duration) -> SearchWindows {
    let history = u64::try_from(history.as_nanos()).unwrap_or(u64::MAX);
    let start = if range.start == 0 { now.saturating_sub(history) } else { range.start } / SECOND;
    let mut end = range.end.min(now.saturating_add(MAX_CLOCK_SKEW)).div_ceil(SECOND);
    let mut each = Vec::new();
    while end > start && each.len() < MAX_PIECES {
        let from = start.max(end.saturating_sub(MAX_SEARCH_SECONDS));
        each.push((from, end));
        end = from;
    }
    // An empty or future range still gets one window.
    if each.is_empty() {
        each.push((start, start + 1));
        return SearchWindows { windows: each, complete: true };
    }
    SearchWindows { windows: each, complete: end <= start }
}

/// A piece of a metrics query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MetricsPiece {
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

impl MetricsPiece {
    /// Steps to request for this piece.
    pub(crate) fn steps(&self) -> Steps {
        match self {
            Self::Intervals { steps, .. } => *steps,
            Self::Part { start, end, .. } => Steps::single(*start, *end),
        }
    }
}

/// Start of an interval.
pub(crate) fn interval_start(steps: &Steps, index: usize) -> u64 {
    index.checked_sub(1).map_or(steps.start(), |before| steps.end_of(before))
}

/// Length of each interval.
pub(crate) fn interval_length(steps: &Steps) -> u64 {
    steps.end_of(0).saturating_sub(steps.start()).max(1)
}

/// Pieces for the whole intervals `first..after`.
pub(crate) fn intervals(steps: &Steps, first: usize, after: usize) -> Vec<MetricsPiece> {
    let part = |index| MetricsPiece::Part { index, start: interval_start(steps, index), end: steps.end_of(index) };
    let Some(last) = after.checked_sub(1).filter(|last| *last > first) else {
        // A single interval needs no alignment with neighbours, so it may start at any time.
        return (first..after).map(part).collect();
    };
    let start = interval_start(steps, first);
    let inner = Steps::cover(start, steps.end_of(last), interval_length(steps));
    match inner.filter(|inner| inner.count() == after - first && inner.start() == start) {
        Some(steps) => vec![MetricsPiece::Intervals { first, steps }],
        None => (first..after).rev().map(part).collect(),
    }
}

/// Pieces of a metrics query, newest first, and whether they cover the whole range.
pub(crate) fn split_metrics(steps: &Steps, function: Function) -> (Vec<MetricsPiece>, bool) {
    let each = interval_length(steps);
    let mut pieces = Vec::new();
    if each > MAX_METRICS_RANGE {
        for index in (0..steps.count()).rev() {
            pieces.extend(split_interval(index, interval_start(steps, index), steps.end_of(index), function));
        }
    } else {
        let together = usize::try_from(MAX_METRICS_RANGE / each).unwrap_or(usize::MAX);
        let mut after = steps.count();
        while after > 0 && pieces.len() <= MAX_PIECES {
            let first = after.saturating_sub(together);
            pieces.extend(intervals(steps, first, after));
            after = first;
        }
    }
    let is_complete = pieces.len() <= MAX_PIECES;
    pieces.truncate(MAX_PIECES);
    (pieces, is_complete)
}

/// Splits a long interval into parts, if the function can be combined from parts.
fn split_interval(index: usize, start: u64, end: u64, function: Function) -> Vec<MetricsPiece> {
    if function == Function::Other {
        return vec![MetricsPiece::Part { index, start, end }];
    }
    let mut parts = Vec::new();
    let mut until = end;
    while until > start && parts.len() <= MAX_PIECES {
        let from = start.max(until.saturating_sub(MAX_METRICS_RANGE));
        parts.push(MetricsPiece::Part { index, start: from, end: until });
        until = from;
    }
    parts
}
