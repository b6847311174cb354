//! What is counted and timed, so that somebody who watches many Batons needs no traces for it.
//!
//! Counters and histograms grow with the spans of this process as they end; levels are asked for when somebody looks.
//! One table (`instruments`) says what there is.

mod heard;
mod instrument;
pub mod instruments;
mod observe;
mod reading;
mod record;
mod source;
mod stores;
mod table;
mod tasks;

pub use heard::{MeteredCommits, MeteredSink};
pub use instrument::{Instrument, InstrumentKind};
pub use reading::{MeterFamily, MeterPoint, MeterReading, Shown};
pub use record::Meters;
pub use source::{Levels, MeterSource};
pub use stores::{JournalLevels, SpanLevels};
pub use table::MOST_SERIES;
pub use tasks::OpenTasks;
