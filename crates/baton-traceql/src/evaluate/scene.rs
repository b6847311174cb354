//! The trace that is asked, with what is worked out about it only when a query wants to know.

use super::tree::Tree;
use baton_types::Span;
use std::{
    cell::{Cell, OnceCell},
    cmp::Reverse,
};

/// Most bytes that are said of sets again and again, where there is somebody who gives up.
const MOST_SAID: usize = 64 << 20;
/// How many spans are looked at before it is asked again whether there is time.
const TURN: usize = 256;

pub(super) struct Scene<'t> {
    pub(super) spans: &'t [Span],
    tree: OnceCell<Tree>,
    whole: OnceCell<Whole>,
    /// Says when it has taken too long.
    late: Option<&'t dyn Fn() -> bool>,
    given_up: Cell<bool>,
    said: Cell<usize>,
}

/// What holds for the whole trace.
#[derive(Clone, Copy)]
pub(super) struct Whole {
    /// The span without parent; if there is none, the earliest.
    pub(super) root: Option<usize>,
    /// From the first beginning to the last end, in nanoseconds.
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

    /// One that is given up when it is late.
    pub(super) fn until(spans: &'t [Span], late: &'t dyn Fn() -> bool) -> Self {
        Self { late: Some(late), ..Self::new(spans) }
    }

    /// Whether there is time for one more set: what is done with it may take as long as the trace is.
    pub(super) fn goes_on(&self) -> bool {
        if !self.given_up.get() && self.late.is_some_and(|late| late()) {
            self.given_up.set(true);
        }
        !self.given_up.get()
    }

    /// Whether there is time for the span with that number in a set.
    pub(super) fn goes_on_at(&self, number: usize) -> bool {
        !number.is_multiple_of(TURN) || self.goes_on()
    }

    /// Whether there is room to say so many bytes more of sets.
    pub(super) fn has_room(&self, bytes: usize) -> bool {
        self.said.set(self.said.get().saturating_add(bytes));
        if self.late.is_some() && self.said.get() > MOST_SAID {
            self.given_up.set(true);
        }
        !self.given_up.get()
    }

    /// Whether it was given up: what was found is not all.
    pub(super) fn is_given_up(&self) -> bool {
        self.given_up.get()
    }

    pub(super) fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| Tree::new(self.spans))
    }

    pub(super) fn whole(&self) -> Whole {
        *self.whole.get_or_init(|| Whole::new(self.spans))
    }

    /// By start time, whatever the order in which the spans came.
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

/// Where a span stands among others of its trace.
pub(super) fn place(span: &Span) -> (u64, [u8; 8]) {
    (span.start, span.id.0)
}
