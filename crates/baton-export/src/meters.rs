//! Metrics export at an interval. Values are cumulative since the start, so a failed export loses no data.

mod pieces;
mod send;

pub(crate) use send::MetricsExporter;
