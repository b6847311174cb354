//! Queries the embedded store and a Tempo together: one file per query kind.

mod evaluate;
mod metrics;
mod plan;
mod search;
mod store;
mod tags;
mod trace;

pub use store::{TeeOptions, TeeSpans};
