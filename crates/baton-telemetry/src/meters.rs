//! Metrics of this process.
//!
//! Counters and histograms are updated when spans of this process end; gauges are collected on read. The `instruments`
//! table lists all of them.

mod decorators;
mod instrument;
pub mod instruments;
mod observe;
mod record;
mod snapshot;
mod source;
mod stores;
mod table;
mod tasks;

pub use decorators::{MeteredCommits, MeteredSink};
pub use instrument::{Instrument, InstrumentKind};
pub use record::Meters;
pub use snapshot::{MeterFamily, MeterPoint, MeterSnapshot, MetricValue};
pub use source::{MeterLevels, MeterSource};
pub use stores::{JournalLevels, SpanLevels};
pub use table::MAX_SERIES;
pub use tasks::OpenTasks;
