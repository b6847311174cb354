//! What is counted and timed, so that somebody who watches many Batons needs no traces for it.
//!
//! Counters and histograms grow with the spans of this process as they end; levels are asked for when somebody looks.
//! One table (`instruments`) says what there is.

mod instrument;
pub mod instruments;
mod reading;
mod source;

pub use instrument::{Instrument, InstrumentKind};
pub use reading::{MeterFamily, MeterPoint, MeterReading, Shown};
pub use source::{Levels, MeterSource};
