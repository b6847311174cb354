//! Snapshot of all metrics.

use crate::{Attributes, Instrument, SpanResource, SpanScope};
use std::sync::Arc;

/// Snapshot of all metrics; values are cumulative since the start of the process.
#[derive(Clone, Debug, PartialEq)]
pub struct MeterSnapshot {
    /// Start of the measurement, in nanoseconds since the Unix epoch.
    pub since: u64,
    /// Time of the snapshot.
    pub at: u64,
    /// Resource of the process.
    pub resource: Arc<SpanResource>,
    /// Instrumentation scope.
    pub scope: Arc<SpanScope>,
    /// Instruments with data, in the order of the table.
    pub families: Vec<MeterFamily>,
}

/// Data of one instrument.
#[derive(Clone, Debug, PartialEq)]
pub struct MeterFamily {
    /// The instrument.
    pub instrument: &'static Instrument,
    /// Its series, sorted by labels; never empty.
    pub points: Vec<MeterPoint>,
}

/// Data of one series.
#[derive(Clone, Debug, PartialEq)]
pub struct MeterPoint {
    /// Text and integer values in the order of the instrument's labels. The overflow series has only
    /// `otel.metric.overflow` (true).
    pub labels: Attributes,
    /// Value of the series.
    pub value: MetricValue,
}

/// Value of a series.
#[derive(Clone, Debug, PartialEq)]
pub enum MetricValue {
    /// Counter value.
    Counter(u64),
    /// Gauge value.
    Gauge(u64),
    /// Histogram.
    Histogram {
        /// Count per bucket, not cumulative; one more than the instrument has bounds.
        buckets: Vec<u64>,
        /// Sum of all values, in the unit.
        sum: f64,
    },
}

impl MetricValue {
    /// Count of a histogram, or the value itself.
    pub fn total(&self) -> u64 {
        match self {
            Self::Counter(figure) | Self::Gauge(figure) => *figure,
            Self::Histogram { buckets, .. } => buckets.iter().sum(),
        }
    }
}
