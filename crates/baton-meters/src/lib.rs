//! Metrics of this process. Counters and histograms are updated when spans of this process end; gauges are collected on
//! read.
//!
//! This crate must never decide anything about a task, and never let the number of series grow without a limit.
//!
//! Read first: [`Meters`] (counters and histograms), [`instruments`] (the table of all metrics), [`MeterSource`]
//! (values that are collected on read).

mod decorators;
pub mod instruments;
mod observe;
mod record;
mod source;
mod stores;
mod table;
mod tasks;

pub use decorators::{MeteredCommits, MeteredSink};
pub use record::Meters;
pub use source::{MeterLevels, MeterSource};
pub use stores::{JournalLevels, SpanLevels};
pub use table::MAX_SERIES;
pub use tasks::OpenTasks;
