//! The embedded store and a Tempo, asked together: one file per question.

mod metrics;
mod plan;
mod search;
mod store;
mod tags;
mod tell;
mod trace;

pub use store::{TeeOptions, TeeSpans};
