//! Evaluation of metrics queries: spans to series.
//!
//! A [`MetricsPlan`] is a query compiled for a time range. Each of its leaves (a pipeline that ends in a metrics
//! function) fills a [`Tally`], trace by trace or span by span. Tallies of different stores can be merged before
//! [`MetricsPlan::finish`] converts them to series. The result depends only on the spans, never on their order or on
//! their distribution over tallies.

mod arithmetic;
mod buckets;
mod cells;
mod comparison;
mod exemplars;
mod key;
mod leaf;
mod limits;
mod plan;
mod second_stage;
mod series;
mod steps;
mod sum;
mod tally;
mod tally_series;
mod values;

pub use leaf::{MetricsPushdown, TracePushdown};
pub use limits::MetricsLimits;
pub use plan::MetricsPlan;
pub use series::{Exemplar, Series};
pub use steps::Steps;
pub use tally::{GroupIndex, Tally};
