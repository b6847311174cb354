//! Results of the span store as Tempo messages.

mod search;
mod series;
mod tags;
#[cfg(test)]
mod tests;

pub(super) use search::search_response;
pub(super) use series::{query_instant_response, query_range_response};
pub(super) use tags::{TagScope, ValueKind, tag_names, tag_scopes, tag_values};
