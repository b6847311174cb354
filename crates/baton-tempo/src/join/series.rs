//! Merges the series of pieces into series over the whole range.

use super::Function;
use crate::pieces::{MetricsPiece, interval_length};
use baton_span_ports::{MetricsResult, SpanMetricsRequest};
use baton_traceql::{MetricsLimits, QueryError, Series, Steps};
use baton_types::SpanValue;
use std::collections::BTreeMap;

/// Maximum number of series per result.
const MAX_SERIES: usize = 10_000;

/// Accumulates series piece by piece; pieces never overlap, so nothing is counted twice.
pub(crate) struct SeriesMerger {
    steps: Steps,
    function: Function,
    exemplars: usize,
    series: BTreeMap<Vec<(String, String)>, Series>,
    answer: MetricsResult,
}

impl SeriesMerger {
    pub(crate) fn new(ask: &SpanMetricsRequest) -> Self {
        Self {
            steps: ask.steps,
            function: Function::from_query(&ask.query),
            exemplars: ask.exemplars,
            series: BTreeMap::new(),
            answer: MetricsResult::default(),
        }
    }

    /// Adds the result of a piece. Fails if the series exceed the sample limit.
    pub(crate) fn add(&mut self, piece: &MetricsPiece, measured: MetricsResult) -> Result<(), QueryError> {
        self.answer.inspected_spans += measured.inspected_spans;
        self.answer.inspected_bytes += measured.inspected_bytes;
        self.answer.partial |= measured.partial;
        let limit = MetricsLimits::default().samples;
        for series in measured.series {
            let known = self.series.len();
            if (known + 1).saturating_mul(self.steps.count()) > limit && !self.series.contains_key(&key(&series.labels))
            {
                return Err(sample_limit_error(limit));
            }
            let line = match self.series.entry(key(&series.labels)) {
                std::collections::btree_map::Entry::Occupied(line) => line.into_mut(),
                std::collections::btree_map::Entry::Vacant(entry) if known < MAX_SERIES => entry.insert(Series {
                    labels: series.labels,
                    samples: vec![None; self.steps.count()],
                    exemplars: Vec::new(),
                }),
                std::collections::btree_map::Entry::Vacant(_) => {
                    self.answer.partial = true;
                    continue;
                }
            };
            line.exemplars.extend(series.exemplars);
            match piece {
                MetricsPiece::Intervals { first, .. } => {
                    for (slot, sample) in line.samples.iter_mut().skip(*first).zip(series.samples) {
                        *slot = sample;
                    }
                }
                MetricsPiece::Part { index, start, end } => {
                    let share = end.saturating_sub(*start) as f64 / interval_length(&self.steps) as f64;
                    let sample = series.samples.first().copied().flatten();
                    if let (Some(slot), Some(sample)) = (line.samples.get_mut(*index), sample) {
                        *slot = Some(self.function.combine(*slot, sample, share));
                    }
                }
            }
        }
        Ok(())
    }

    /// Marks the result as partial.
    pub(crate) fn mark_partial(&mut self) {
        self.answer.partial = true;
    }

    /// Returns the merged result.
    pub(crate) fn finish(self) -> MetricsResult {
        let max_exemplars = self.exemplars;
        let series = self.series.into_values().map(|mut line| {
            line.exemplars.sort_by_key(|exemplar| (exemplar.at, exemplar.trace, exemplar.span));
            line.exemplars.dedup_by_key(|exemplar| (exemplar.trace, exemplar.span));
            line.exemplars.truncate(max_exemplars);
            line
        });
        MetricsResult { series: series.collect(), ..self.answer }
    }
}

/// Error for a result that exceeds the sample limit.
pub(crate) fn sample_limit_error(limit: usize) -> QueryError {
    QueryError::TooLarge(format!("the answer has more than {limit} samples (series times intervals)"))
}

/// Labels as sorted text: the two stores agree on the identity of a series, but not on the encoding of its labels.
fn key(labels: &[(String, SpanValue)]) -> Vec<(String, String)> {
    let mut key: Vec<_> = labels.iter().map(|(name, value)| (name.clone(), text(value))).collect();
    key.sort();
    key
}

fn text(value: &SpanValue) -> String {
    match value {
        SpanValue::Text(text) => text.clone().into_owned(),
        SpanValue::Int(number) => number.to_string(),
        SpanValue::Float(number) => number.to_string(),
        SpanValue::Bool(value) => value.to_string(),
        SpanValue::Empty => "nil".to_owned(),
        SpanValue::List(_) | SpanValue::Map(_) | SpanValue::Bytes(_) => format!("{value:?}"),
    }
}
