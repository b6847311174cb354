//! Resource limits of a query.

use super::stop::StopFlag;
use baton_span_ports::SpanStoreError;
use baton_traceql::QueryError;
use std::{cell::Cell, time::Instant};

/// Resource limits of a query. When the time is over, the partial result is returned; a query that needs more memory is
/// rejected.
#[derive(Clone, Debug)]
pub(crate) struct QueryBudget {
    /// Deadline of the query.
    pub(crate) deadline: Instant,
    /// Set when the query is canceled.
    pub(crate) stop: StopFlag,
    /// Maximum number of traces to read.
    pub(crate) traces: u64,
    /// Maximum number of spans of a trace.
    pub(crate) spans: usize,
    /// Maximum memory for the spans of a trace, in bytes.
    pub(crate) bytes: usize,
    /// Maximum number of spansets per trace in the result.
    pub(crate) spansets: usize,
    /// Maximum memory of the result, in bytes.
    pub(crate) result_bytes: usize,
    /// Maximum number of series of a metrics query.
    pub(crate) series: usize,
    /// Maximum memory for the tallies of a metrics query, in bytes.
    pub(crate) tally_bytes: usize,
    /// Maximum number of samples in all series of a metrics query.
    pub(crate) samples: usize,
    /// Maximum working memory for lists of rows, labels and traces, in bytes.
    pub(crate) working_bytes: usize,
    /// Reserved working memory in bytes.
    pub(crate) reserved: Cell<usize>,
}

impl QueryBudget {
    /// The default limits with that deadline.
    pub(crate) fn with_deadline(deadline: Instant) -> Self {
        Self {
            deadline,
            stop: StopFlag::default(),
            traces: 1 << 20,
            spans: 250_000,
            bytes: 64 << 20,
            spansets: 1_000,
            result_bytes: 16 << 20,
            series: 1_000,
            tally_bytes: 32 << 20,
            samples: 500_000,
            working_bytes: 64 << 20,
            reserved: Cell::new(0),
        }
    }

    /// Whether the deadline has passed or the query is canceled.
    pub(crate) fn is_expired(&self) -> bool {
        self.stop.is_set() || Instant::now() >= self.deadline
    }

    /// Reserves working memory; released when the reservation is dropped.
    pub(crate) fn reserve(&self, bytes: usize) -> Result<MemoryReservation<'_>, SpanStoreError> {
        let mut reservation = MemoryReservation { budget: self, bytes: 0 };
        reservation.grow(bytes)?;
        Ok(reservation)
    }
}

/// Reserved working memory of a query.
pub(crate) struct MemoryReservation<'a> {
    budget: &'a QueryBudget,
    bytes: usize,
}

impl MemoryReservation<'_> {
    /// Reserves more.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), SpanStoreError> {
        let reserved = self.budget.reserved.get().saturating_add(bytes);
        if reserved > self.budget.working_bytes {
            let limit = self.budget.working_bytes;
            let message = format!("the query needs more than {limit} bytes of working memory");
            return Err(QueryError::TooLarge(message).into());
        }
        self.budget.reserved.set(reserved);
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for MemoryReservation<'_> {
    fn drop(&mut self) {
        self.budget.reserved.set(self.budget.reserved.get().saturating_sub(self.bytes));
    }
}
