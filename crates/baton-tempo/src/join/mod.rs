//! Merges results of several time ranges and of two stores.

mod found;
mod function;
mod series;

pub(crate) use found::{Traces, covers, joined, shows_all_of};
pub(crate) use function::Function;
pub(crate) use series::{Joining, too_many};
