//! Series from spans: what metrics queries mean.
//!
//! A [`Measure`] is a query made ready for a stretch of time; each of its leaves (a pipeline that ends in a metrics
//! function) fills a [`Tally`], trace by trace or span by span, and tallies of different stores can be merged before
//! [`Measure::finish`] makes series of them. What comes out depends on the spans only, never on their order or on how
//! they were spread over tallies.

mod arithmetic;
mod buckets;
mod cells;
mod compared;
mod exemplars;
mod key;
mod leaf;
mod limits;
mod lines;
mod measure;
mod second;
mod series;
mod steps;
mod sum;
mod tally;
mod values;

pub use leaf::Direct;
pub use limits::Limits;
pub use measure::Measure;
pub use series::{Exemplar, Series};
pub use steps::Steps;
pub use tally::{Group, Tally};
