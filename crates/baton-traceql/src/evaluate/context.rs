//! The trace under evaluation, with derived data computed on demand.

use super::tree::SpanForest;
use baton_types::Span;
use std::{
    cell::{Cell, OnceCell},
    cmp::Reverse,
};

/// Maximum bytes of spanset attributes copied to groups, for evaluations that can be cancelled.
const MAX_COPIED_BYTES: usize = 64 << 20;
/// Number of spans between two checks of the deadline.
const DEADLINE_CHECK_INTERVAL: usize = 256;

pub(super) struct EvaluationContext<'t> {
    pub(super) spans: &'t [Span],
    tree: OnceCell<SpanForest>,
    extent: OnceCell<TraceExtent>,
    /// Returns true once the deadline has passed.
    late: Option<&'t dyn Fn() -> bool>,
    cancelled: Cell<bool>,
    copied_bytes: Cell<usize>,
}

/// Properties of the whole trace.
#[derive(Clone, Copy)]
pub(super) struct TraceExtent {
    /// The earliest span without parent; if there is none, the earliest span.
    pub(super) root: Option<usize>,
    /// From the first start to the last end, in nanoseconds.
    pub(super) duration: u64,
}

impl<'t> EvaluationContext<'t> {
    pub(super) fn new(spans: &'t [Span]) -> Self {
        Self {
            spans,
            tree: OnceCell::new(),
            extent: OnceCell::new(),
            late: None,
            cancelled: Cell::new(false),
            copied_bytes: Cell::new(0),
        }
    }

    /// With a deadline.
    pub(super) fn with_deadline(spans: &'t [Span], late: &'t dyn Fn() -> bool) -> Self {
        Self { late: Some(late), ..Self::new(spans) }
    }

    /// Whether there is time for another spanset. Processing one can take time linear in the trace.
    pub(super) fn has_time(&self) -> bool {
        if !self.cancelled.get() && self.late.is_some_and(|late| late()) {
            self.cancelled.set(true);
        }
        !self.cancelled.get()
    }

    /// Whether there is time for the span with this index in a set; checks the deadline periodically.
    pub(super) fn has_time_at(&self, number: usize) -> bool {
        !number.is_multiple_of(DEADLINE_CHECK_INTERVAL) || self.has_time()
    }

    /// Reserves bytes for copied spanset attributes; false if the limit is exceeded.
    pub(super) fn reserve_bytes(&self, bytes: usize) -> bool {
        self.copied_bytes.set(self.copied_bytes.get().saturating_add(bytes));
        if self.late.is_some() && self.copied_bytes.get() > MAX_COPIED_BYTES {
            self.cancelled.set(true);
        }
        !self.cancelled.get()
    }

    /// Whether the evaluation was cancelled, so that the result is incomplete.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.get()
    }

    pub(super) fn tree(&self) -> &SpanForest {
        self.tree.get_or_init(|| SpanForest::new(self.spans))
    }

    pub(super) fn extent(&self) -> TraceExtent {
        *self.extent.get_or_init(|| TraceExtent::new(self.spans))
    }

    /// Sorts by start time, independent of input order.
    pub(super) fn sort(&self, spans: &mut [usize]) {
        spans.sort_unstable_by_key(|index| sort_key(&self.spans[*index]));
    }
}

impl TraceExtent {
    fn new(spans: &[Span]) -> Self {
        let first = |(_, span): &(usize, &Span)| (Reverse(span.parent.is_none()), sort_key(span));
        let start = spans.iter().map(|span| span.start).min().unwrap_or_default();
        let end = spans.iter().map(|span| span.end).max().unwrap_or_default();
        Self {
            root: spans.iter().enumerate().min_by_key(first).map(|(index, _)| index),
            duration: end.saturating_sub(start),
        }
    }
}

/// Sort key of a span within its trace.
pub(super) fn sort_key(span: &Span) -> (u64, [u8; 8]) {
    (span.start, span.id.0)
}
