//! What the meters show at one moment.

use super::Instrument;
use baton_types::{Attributes, Resource, SpanScope};
use std::sync::Arc;

/// What the meters show at one moment; all figures count from the start of the process.
#[derive(Clone, Debug, PartialEq)]
pub struct MeterReading {
    /// Since when it is counted, in nanoseconds since the Unix epoch.
    pub since: u64,
    /// When it was read.
    pub at: u64,
    /// Whose meters they are.
    pub resource: Arc<Resource>,
    /// What measured.
    pub scope: Arc<SpanScope>,
    /// The instruments that have something to show, in the order of the table.
    pub families: Vec<MeterFamily>,
}

/// What one instrument shows.
#[derive(Clone, Debug, PartialEq)]
pub struct MeterFamily {
    /// What is measured.
    pub instrument: &'static Instrument,
    /// Its series, sorted by their labels; never empty.
    pub points: Vec<MeterPoint>,
}

/// What one series shows.
#[derive(Clone, Debug, PartialEq)]
pub struct MeterPoint {
    /// Texts and whole numbers in the order of the instrument's labels; `otel.metric.overflow` alone, which is true, on
    /// the series of what would have been too many.
    pub labels: Attributes,
    /// The figures.
    pub shown: Shown,
}

/// The figures of a series.
#[derive(Clone, Debug, PartialEq)]
pub enum Shown {
    /// Of a counter.
    Count(u64),
    /// Of a gauge.
    Level(u64),
    /// Of a histogram.
    Spread {
        /// How many values fell into each bucket, each counted once; one more than the instrument has bounds.
        buckets: Vec<u64>,
        /// The sum of all values, in the unit.
        sum: f64,
    },
}

impl Shown {
    /// How many values a histogram has seen, or the figure itself.
    pub fn total(&self) -> u64 {
        match self {
            Self::Count(figure) | Self::Level(figure) => *figure,
            Self::Spread { buckets, .. } => buckets.iter().sum(),
        }
    }
}
