//! The trace under evaluation, with derived data computed on demand.

use super::tree::Tree;
use baton_types::Span;
use std::{
    cell::{Cell, OnceCell},
    cmp::Reverse,
};

/// Maximum bytes of spanset attributes copied to groups, for evaluations that can be cancelled.
const MOST_SAID: usize = 64 << 20;
/// Number of spans between two checks of the deadline.
const TURN: usize = 256;

pub(super) struct Scene<'t> {
    pub(super) spans: &'t [Span],
    tree: OnceCell<Tree>,
    whole: OnceCell<Whole>,
    /// Returns true once the deadline has passed.
    late: Option<&'t dyn Fn() -> bool>,
    given_up: Cell<bool>,
    said: Cell<usize>,
}

/// Properties of the whole trace.
#[derive(Clone, Copy)]
pub(super) struct Whole {
    /// The earliest span without parent; if there is none, the earliest span.
    pub(super) root: Option<usize>,
    /// From the first start to the last end, in nanoseconds.
    pub(super) duration: u64,
}

impl<'t> Scene<'t> {
    pub(super) fn new(spans: &'t [Span]) -> Self {
        Self {
            spans,
            tree: OnceCell::new(),
            whole: OnceCell::new(),
            late: None,
            given_up: Cell::new(false),
            said: Cell::new(0),
        }
    }

    /// With a deadline.
    pub(super) fn until(spans: &'t [Span], late: &'t dyn Fn() -> bool) -> Self {
        Self { late: Some(late), ..Self::new(spans) }
    }

    /// Whether there is time for another spanset. Processing one can take time linear in the trace.
    pub(super) fn goes_on(&self) -> bool {
        if !self.given_up.get() && self.late.is_some_and(|late| late()) {
            self.given_up.set(true);
        }
        !self.given_up.get()
    }

    /// Whether there is time for the span with this index in a set; checks the deadline periodically.
    pub(super) fn goes_on_at(&self, number: usize) -> bool {
        !number.is_multiple_of(TURN) || self.goes_on()
    }

    /// Reserves bytes for copied spanset attributes; false if the limit is exceeded.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.said.set(self.said.get().saturating_add(bytes));
        if self.late.is_some() && self.said.get() > MOST_SAID {
            self.given_up.set(true);
        }
        !self.given_up.get()
    }

    /// Whether the evaluation was cancelled, so that the result is incomplete.
    pub(super) fn is_given_up(&self) -> bool {
        self.given_up.get()
    }

    pub(super) fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| Tree::new(self.spans))
    }

    pub(super) fn whole(&self) -> Whole {
        *self.whole.get_or_init(|| Whole::new(self.spans))
    }

    /// Sorts by start time, independent of input order.
    pub(super) fn sort(&self, spans: &mut [usize]) {
        spans.sort_unstable_by_key(|index| place(&self.spans[*index]));
    }
}

impl Whole {
    fn new(spans: &[Span]) -> Self {
        let first = |(_, span): &(usize, &Span)| (Reverse(span.parent.is_none()), place(span));
        let start = spans.iter().map(|span| span.start).min().unwrap_or_default();
        let end = spans.iter().map(|span| span.end).max().unwrap_or_default();
        Self {
            root: spans.iter().enumerate().min_by_key(first).map(|(index, _)| index),
            duration: end.saturating_sub(start),
        }
    }
}

/// Sort key of a span within its trace.
pub(super) fn place(span: &Span) -> (u64, [u8; 8]) {
    (span.start, span.id.0)
}
