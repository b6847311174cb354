//! How much an answer may hold.

use crate::{Literal, Query};

/// Most exemplars that a query can ask for itself.
const MOST_EXEMPLARS: usize = 1_000;

/// How much is kept while measuring; what would be more is left out, and the answer says that it is not whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most groups of a metrics function.
    pub series: usize,
    /// Most spans that stand for others, in each series; a query can ask for another number: `with (exemplars=5)`.
    pub exemplars: usize,
    /// Most bytes of memory that one tally takes, roughly.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { series: 1_000, exemplars: 0, bytes: 256 << 20 }
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
