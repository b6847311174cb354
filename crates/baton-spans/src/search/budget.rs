//! How much an answer may cost.

use super::stop::StopFlag;
use baton_ports::SpanStoreError;
use baton_traceql::QueryError;
use std::{cell::Cell, time::Instant};

/// How much an answer may cost. Without time it is given with what there is; a query that needs more memory is refused.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    /// When it must end.
    pub(crate) deadline: Instant,
    /// Set once nobody waits for the answer.
    pub(crate) stop: StopFlag,
    /// How many traces it may read.
    pub(crate) traces: u64,
    /// Most spans of a trace.
    pub(crate) spans: usize,
    /// Most bytes of memory that the spans of a trace take.
    pub(crate) bytes: usize,
    /// Most spansets that are told of a trace.
    pub(crate) spansets: usize,
    /// Most bytes of memory that what is told takes.
    pub(crate) told: usize,
    /// Most series of a metrics query.
    pub(crate) series: usize,
    /// Most bytes of memory that what is measured takes.
    pub(crate) measured: usize,
    /// Most samples in all series of a metrics query.
    pub(crate) samples: usize,
    /// Most bytes of memory for lists of rows, labels and traces while a query is worked on.
    pub(crate) working: usize,
    /// How many of them are taken.
    pub(crate) reserved: Cell<usize>,
}

impl Budget {
    /// As much as anybody gets, until then.
    pub(crate) fn until(deadline: Instant) -> Self {
        Self {
            deadline,
            stop: StopFlag::default(),
            traces: 1 << 20,
            spans: 250_000,
            bytes: 64 << 20,
            spansets: 1_000,
            told: 16 << 20,
            series: 1_000,
            measured: 32 << 20,
            samples: 500_000,
            working: 64 << 20,
            reserved: Cell::new(0),
        }
    }

    /// Whether it must end, for want of time or of anybody who waits.
    pub(crate) fn is_late(&self) -> bool {
        self.stop.is_set() || Instant::now() >= self.deadline
    }

    /// Working memory that is about to be taken; given back when the reservation is dropped.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<Reservation<'_>, SpanStoreError> {
        let mut reservation = Reservation { budget: self, bytes: 0 };
        reservation.grow(bytes)?;
        Ok(reservation)
    }
}

/// Working memory of a query.
pub(crate) struct Reservation<'a> {
    budget: &'a Budget,
    bytes: usize,
}

impl Reservation<'_> {
    /// Takes more.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), SpanStoreError> {
        let reserved = self.budget.reserved.get().saturating_add(bytes);
        if reserved > self.budget.working {
            let limit = self.budget.working;
            let message = format!("the query needs more than {limit} bytes of working memory");
            return Err(QueryError::TooLarge(message).into());
        }
        self.budget.reserved.set(reserved);
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.budget.reserved.set(self.budget.reserved.get().saturating_sub(self.bytes));
    }
}
