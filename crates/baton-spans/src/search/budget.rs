//! How much an answer may cost.

use std::time::Instant;

/// How much an answer may cost before it is given with what there is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    /// When it must end.
    pub(crate) deadline: Instant,
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
}

impl Budget {
    /// As much as anybody gets, until then.
    pub(crate) fn until(deadline: Instant) -> Self {
        Self {
            deadline,
            traces: 1 << 20,
            spans: 250_000,
            bytes: 128 << 20,
            spansets: 1_000,
            told: 64 << 20,
            series: 1_000,
            measured: 128 << 20,
        }
    }

    /// Whether it must end.
    pub(crate) fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }
}
