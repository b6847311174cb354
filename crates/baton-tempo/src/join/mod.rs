//! Merges results of several time ranges and of two stores.

mod found;
mod function;
mod series;

pub(crate) use found::{TraceMatchSet, covers, merge_matches, shows_all_spans};
pub(crate) use function::Function;
pub(crate) use series::{SeriesMerger, sample_limit_error};
