//! Series from spans: what metrics queries mean.
//!
//! A [`Measure`] is a query made ready for a stretch of time; each of its leaves (a pipeline that ends in a metrics
//! function) fills a [`Tally`], trace by trace or span by span, and tallies of different stores can be merged before
//! [`Measure::finish`] makes series of them.

mod steps;

pub use steps::Steps;

use baton_types::{SpanId, TraceId, Value};

/// One line of an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// What makes it this one: `span.tool` is `"weather"`; `__name__`, `p` or `__bucket` where nothing else does.
    pub labels: Vec<(String, Value)>,
    /// One value per interval; none where there was nothing to measure.
    pub samples: Vec<Option<f64>>,
    /// Spans that stand for others.
    pub exemplars: Vec<Exemplar>,
}

/// A span that stands for others in a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exemplar {
    /// Its trace.
    pub trace: TraceId,
    /// The span.
    pub span: SpanId,
    /// When it began.
    pub at: u64,
    /// What was measured.
    pub value: f64,
}
