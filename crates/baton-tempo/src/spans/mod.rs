//! A Tempo behind the port: one file per query kind.

mod metrics;
mod search;
mod store;
mod tags;
mod trace;

pub use store::TempoSpans;
