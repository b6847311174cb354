//! Memory limits of metrics queries.

use crate::{Literal, Query, QueryError};

/// Maximum number of exemplars that a hint can request.
const MAX_EXEMPLARS: usize = 1_000;

/// Limits of a metrics query. Groups beyond [`MetricsLimits::series`] are dropped and the result is marked as
/// incomplete; a query that exceeds one of the other limits fails with [`QueryError::TooLarge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetricsLimits {
    /// Maximum number of groups of a metrics function.
    pub series: usize,
    /// Maximum number of exemplars per series; a hint can override it: `with (exemplars=5)`.
    pub exemplars: usize,
    /// Approximate maximum memory of one tally in bytes.
    pub bytes: usize,
    /// Maximum number of samples in all series of all leaves; a series has one per interval.
    pub samples: usize,
}

/// Remaining number of samples in the result.
pub(super) struct SampleBudget {
    limit: usize,
    left: usize,
}

impl SampleBudget {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, left: limit }
    }

    /// Reserves the samples of another series before they are allocated.
    pub(super) fn take(&mut self, samples: usize) -> Result<(), QueryError> {
        let Some(left) = self.left.checked_sub(samples) else {
            let limit = self.limit;
            return Err(QueryError::TooLarge(format!(
                "the answer has more than {limit} samples (series times intervals)"
            )));
        };
        self.left = left;
        Ok(())
    }
}

impl Default for MetricsLimits {
    fn default() -> Self {
        Self { series: 1_000, exemplars: 0, bytes: 32 << 20, samples: 500_000 }
    }
}

impl MetricsLimits {
    /// Applies the `exemplars` hint of the query; `true` means the default number.
    pub(super) fn with_hints(self, query: &Query) -> Self {
        let requested = query.hints.iter().rev().find(|hint| hint.name == "exemplars").map(|hint| &hint.value);
        let exemplars = match requested {
            Some(Literal::Bool(false)) => 0,
            Some(Literal::Int(count)) => usize::try_from(*count).unwrap_or_default(),
            _ => self.exemplars,
        };
        Self { exemplars: exemplars.min(MAX_EXEMPLARS), ..self }
    }
}
