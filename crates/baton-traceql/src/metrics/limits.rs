//! How much an answer may hold.

use crate::{Literal, Query, QueryError};

/// Most exemplars that a query can ask for itself.
const MOST_EXEMPLARS: usize = 1_000;

/// How much is kept while measuring. Groups beyond [`Limits::series`] are left out, and the answer says that it is not
/// whole; a query that needs more memory than the other limits allow is refused as [`QueryError::TooLarge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most groups of a metrics function.
    pub series: usize,
    /// Most spans that stand for others, in each series; a query can ask for another number: `with (exemplars=5)`.
    pub exemplars: usize,
    /// Most bytes of memory that one tally takes, roughly.
    pub bytes: usize,
    /// Most samples in all series of all leaves: each series has one for every interval.
    pub samples: usize,
}

/// Samples that the series of an answer may still have.
pub(super) struct SampleBudget {
    limit: usize,
    left: usize,
}

impl SampleBudget {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, left: limit }
    }

    /// Takes the samples of one more series before they are allocated.
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

impl Default for Limits {
    fn default() -> Self {
        Self { series: 1_000, exemplars: 0, bytes: 32 << 20, samples: 500_000 }
    }
}

impl Limits {
    /// With what the query says about exemplars; `true` means as many as whoever asks would get anyway.
    pub(super) fn hinted(self, query: &Query) -> Self {
        let asked = query.hints.iter().rev().find(|hint| hint.name == "exemplars").map(|hint| &hint.value);
        let exemplars = match asked {
            Some(Literal::Bool(false)) => 0,
            Some(Literal::Int(count)) => usize::try_from(*count).unwrap_or_default(),
            _ => self.exemplars,
        };
        Self { exemplars: exemplars.min(MOST_EXEMPLARS), ..self }
    }
}
