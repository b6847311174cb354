//! Merges results of several time ranges and of two stores.

mod function;
mod series;
mod trace_matches;

pub(crate) use function::Function;
pub(crate) use series::{SeriesMerger, sample_limit_error};
pub(crate) use trace_matches::{TraceMatchSet, covers, merge_matches, shows_all_spans};
