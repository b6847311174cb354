//! Converts a tally to series.

use super::{
    buckets::{PowerBuckets, bucket},
    cells::{CellKind, IntervalCells},
    exemplars::Exemplars,
    leaf::MetricsLeaf,
    limits::SampleBudget,
    series::{Exemplar, Series, by_labels},
    steps::Steps,
    sum::ExactSum,
    tally::{GroupTally, Tally},
    values::QuantileSketch,
};
use crate::{AggregateOp, FirstStage, QueryError};
use baton_types::SpanValue;

/// The series of a leaf ordered by labels, and whether they are complete. A group can have many series with a sample
/// per interval each, so the budget is charged before allocation.
pub(super) fn series(
    leaf: &MetricsLeaf,
    steps: Steps,
    tally: Tally,
    budget: &mut SampleBudget,
) -> Result<(Vec<Series>, bool), QueryError> {
    tally.check_room()?;
    let mut series = Vec::new();
    let is_complete = tally.is_complete;
    if let (Some(compare), Some(compared)) = (leaf.compare(), tally.compared) {
        compared.series(compare, budget, &mut series)?;
    } else {
        let mut lines = tally.lines;
        // A count without groups and without spans is a series of zeros.
        if leaf.by.is_empty() && lines.is_empty() && CellKind::from_stage(&leaf.first) == CellKind::Counts {
            let cells = IntervalCells::new(CellKind::Counts, steps.count());
            lines.push(GroupTally { values: Vec::new(), cells, exemplars: Exemplars::default() });
        }
        for line in lines {
            add_group(leaf, steps, line, budget, &mut series)?;
        }
    }
    series.sort_by(by_labels);
    Ok((series, is_complete))
}

fn add_group(
    leaf: &MetricsLeaf,
    steps: Steps,
    line: GroupTally,
    budget: &mut SampleBudget,
    series: &mut Vec<Series>,
) -> Result<(), QueryError> {
    let GroupTally { values, cells, exemplars } = line;
    let labels = labels(leaf, values);
    let exemplars = exemplars.into_sorted();
    match cells {
        IntervalCells::Counts(counts) => {
            if !leaf.by.is_empty() && counts.iter().all(|count| *count == 0) {
                return Ok(());
            }
            budget.take(steps.count())?;
            let per = if matches!(leaf.first, FirstStage::Rate { .. }) { steps.seconds() } else { 1.0 };
            let samples: Vec<_> = counts.into_iter().map(|count| Some(count as f64 / per)).collect();
            // Exemplars of counts are placed on the line of their series.
            let drawn = |exemplar: Exemplar| {
                let value = steps.index(exemplar.at).and_then(|index| samples[index])?;
                Some(Exemplar { value, ..exemplar })
            };
            let exemplars = exemplars.into_iter().filter_map(drawn).collect();
            series.push(Series { labels: named(leaf, labels), samples, exemplars });
        }
        IntervalCells::Min(cells) | IntervalCells::Max(cells) => {
            budget.take(steps.count())?;
            add_numbers(leaf, labels, cells, exemplars, series);
        }
        IntervalCells::Sums(sums) => {
            budget.take(steps.count())?;
            let mean = matches!(leaf.first, FirstStage::AggregateOverTime { op: AggregateOp::Avg, .. });
            let number = |sum: ExactSum| sum.total().map(|total| if mean { total / sum.count() as f64 } else { total });
            let numbers = sums.into_iter().map(number).collect();
            add_numbers(leaf, labels, numbers, exemplars, series);
        }
        IntervalCells::Values(values) => {
            budget.take(steps.count().saturating_mul(quantiles(leaf).len()))?;
            add_quantiles(leaf, steps, &labels, values, &scaled(leaf, exemplars), series);
        }
        IntervalCells::Buckets(cells) => {
            let bounds = bounds(&cells);
            budget.take(steps.count().saturating_mul(bounds.len()))?;
            add_buckets(leaf, &labels, (&cells, &bounds), &exemplars, series);
        }
    }
    Ok(())
}

fn add_numbers(
    leaf: &MetricsLeaf,
    labels: Vec<(String, SpanValue)>,
    numbers: Vec<Option<f64>>,
    exemplars: Vec<Exemplar>,
    series: &mut Vec<Series>,
) {
    let samples = numbers.into_iter().map(|number| number.map(|number| number / leaf.unit())).collect();
    let one = Series { labels: named(leaf, labels), samples, exemplars: scaled(leaf, exemplars) };
    series.extend(Some(one).filter(Series::has_samples));
}

fn add_quantiles(
    leaf: &MetricsLeaf,
    steps: Steps,
    labels: &[(String, SpanValue)],
    mut cells: Vec<QuantileSketch>,
    exemplars: &[Exemplar],
    series: &mut Vec<Series>,
) {
    cells.iter_mut().for_each(QuantileSketch::sort);
    let first = series.len();
    for quantile in quantiles(leaf) {
        let samples = cells.iter().map(|values| values.quantile(quantile).map(|number| number / leaf.unit()));
        let labels = with(labels, "p", quantile);
        let one = Series { labels, samples: samples.collect(), exemplars: Vec::new() };
        series.extend(Some(one).filter(Series::has_samples));
    }
    // An exemplar belongs to the first quantile that it does not exceed.
    let lines = &mut series[first..];
    for exemplar in exemplars {
        let Some(index) = steps.index(exemplar.at) else { continue };
        let reaches = |one: &Series| one.samples[index].is_some_and(|sample| exemplar.value <= sample);
        let at = lines.iter().position(reaches).or(lines.len().checked_sub(1));
        if let Some(line) = at.and_then(|at| lines.get_mut(at)) {
            line.exemplars.push(*exemplar);
        }
    }
}

/// Requested quantiles, deduplicated and ascending.
fn quantiles(leaf: &MetricsLeaf) -> Vec<f64> {
    let FirstStage::QuantileOverTime { quantiles, .. } = &leaf.first else { return Vec::new() };
    let mut quantiles = quantiles.clone();
    quantiles.sort_by(f64::total_cmp);
    quantiles.dedup();
    quantiles
}

/// Bounds of all buckets, deduplicated and ascending.
fn bounds(cells: &[PowerBuckets]) -> Vec<f64> {
    let mut bounds: Vec<f64> = cells.iter().flat_map(PowerBuckets::each).map(|(bound, _)| bound).collect();
    bounds.sort_by(f64::total_cmp);
    bounds.dedup();
    bounds
}

fn add_buckets(
    leaf: &MetricsLeaf,
    labels: &[(String, SpanValue)],
    (cells, bounds): (&[PowerBuckets], &[f64]),
    exemplars: &[Exemplar],
    series: &mut Vec<Series>,
) {
    for &bound in bounds {
        let count = |cell: &PowerBuckets| cell.each().find(|(known, _)| *known == bound).map_or(0, |(_, count)| count);
        let of_bound = exemplars.iter().copied().filter(|exemplar| bucket(exemplar.value) == bound);
        series.push(Series {
            labels: with(labels, "__bucket", bound / leaf.unit()),
            samples: cells.iter().map(|cell| Some(count(cell) as f64)).collect(),
            exemplars: scaled(leaf, of_bound.collect()),
        });
    }
}

fn scaled(leaf: &MetricsLeaf, exemplars: Vec<Exemplar>) -> Vec<Exemplar> {
    let scale = |exemplar: Exemplar| Exemplar { value: exemplar.value / leaf.unit(), ..exemplar };
    exemplars.into_iter().map(scale).collect()
}

/// Labels of a group; fields without a value are omitted.
fn labels(leaf: &MetricsLeaf, values: Vec<Option<SpanValue>>) -> Vec<(String, SpanValue)> {
    let named = leaf.by.iter().zip(values);
    named.filter_map(|(field, value)| Some((field.to_string(), value?))).collect()
}

fn named(leaf: &MetricsLeaf, labels: Vec<(String, SpanValue)>) -> Vec<(String, SpanValue)> {
    if leaf.by.is_empty() { vec![("__name__".to_owned(), SpanValue::from(function(&leaf.first)))] } else { labels }
}

fn with(labels: &[(String, SpanValue)], name: &str, value: f64) -> Vec<(String, SpanValue)> {
    labels.iter().cloned().chain([(name.to_owned(), SpanValue::Float(value))]).collect()
}

fn function(first: &FirstStage) -> &'static str {
    match first {
        FirstStage::Rate { .. } => "rate",
        FirstStage::CountOverTime { .. } => "count_over_time",
        FirstStage::AggregateOverTime { op, .. } => match op {
            AggregateOp::Min => "min_over_time",
            AggregateOp::Max => "max_over_time",
            AggregateOp::Avg => "avg_over_time",
            AggregateOp::Sum => "sum_over_time",
            AggregateOp::Count => "count_over_time",
        },
        FirstStage::QuantileOverTime { .. } => "quantile_over_time",
        FirstStage::HistogramOverTime { .. } => "histogram_over_time",
        FirstStage::Compare(_) => "compare",
    }
}
