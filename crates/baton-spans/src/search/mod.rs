//! Query execution over segments: searches, metrics, traces by id, attribute names and values.

mod budget;
mod candidates;
mod evaluator;
mod find;
mod gather;
mod measure;
mod plan;
mod read;
mod stop;
mod tags;
#[cfg(test)]
mod tests;
mod trace_selection;
mod values;
mod window;

pub(crate) use budget::QueryBudget;
pub(crate) use find::search;
pub(crate) use gather::trace;
pub(crate) use measure::metrics;
pub(crate) use read::{ReadSink, read};
pub(crate) use stop::{StopFlag, StopGuard};
pub(crate) use tags::tags;
pub(crate) use values::tag_values;
