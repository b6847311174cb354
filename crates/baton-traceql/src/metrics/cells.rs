//! Accumulated values of one group per interval.

use super::{buckets::PowerBuckets, sum::ExactSum, values::QuantileSketch};
use crate::{AggregateOp, FirstStage};

/// Larger magnitudes could overflow `f64` when summed; no real measurement is that large.
const MAX_MAGNITUDE: f64 = 1e285;

/// Kind of accumulator that a metrics function needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellKind {
    Counts,
    Min,
    Max,
    Sums,
    Values,
    Buckets,
}

/// One accumulator per interval.
#[derive(Clone, Debug)]
pub(super) enum IntervalCells {
    Counts(Vec<u64>),
    Min(Vec<Option<f64>>),
    Max(Vec<Option<f64>>),
    Sums(Vec<ExactSum>),
    Values(Vec<QuantileSketch>),
    Buckets(Vec<PowerBuckets>),
}

impl CellKind {
    pub(super) fn from_stage(first: &FirstStage) -> Self {
        match first {
            FirstStage::Rate { .. } | FirstStage::CountOverTime { .. } | FirstStage::Compare(_) => Self::Counts,
            FirstStage::AggregateOverTime { op, .. } => match op {
                AggregateOp::Min => Self::Min,
                AggregateOp::Max => Self::Max,
                AggregateOp::Sum | AggregateOp::Avg => Self::Sums,
                AggregateOp::Count => Self::Counts,
            },
            FirstStage::QuantileOverTime { .. } => Self::Values,
            FirstStage::HistogramOverTime { .. } => Self::Buckets,
        }
    }

    /// Minimum size of a cell in bytes.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Counts => size_of::<u64>(),
            Self::Min | Self::Max => size_of::<Option<f64>>(),
            Self::Sums => size_of::<ExactSum>(),
            Self::Values => size_of::<QuantileSketch>(),
            Self::Buckets => size_of::<PowerBuckets>(),
        }
    }
}

impl IntervalCells {
    pub(super) fn new(keeps: CellKind, intervals: usize) -> Self {
        match keeps {
            CellKind::Counts => Self::Counts(vec![0; intervals]),
            CellKind::Min => Self::Min(vec![None; intervals]),
            CellKind::Max => Self::Max(vec![None; intervals]),
            CellKind::Sums => Self::Sums(vec![ExactSum::default(); intervals]),
            CellKind::Values => Self::Values(vec![QuantileSketch::default(); intervals]),
            CellKind::Buckets => Self::Buckets(vec![PowerBuckets::default(); intervals]),
        }
    }

    /// Adds a value several times; returns the added bytes. NaN and numbers out of range are ignored.
    pub(super) fn add(&mut self, interval: usize, value: f64, times: u64) -> usize {
        if let Self::Counts(counts) = self {
            if let Some(count) = counts.get_mut(interval) {
                *count += times;
            }
            return 0;
        }
        if !is_measurable(value) || times == 0 {
            return 0;
        }
        match self {
            Self::Counts(_) => 0,
            Self::Min(cells) => keep(cells.get_mut(interval), value, f64::min),
            Self::Max(cells) => keep(cells.get_mut(interval), value, f64::max),
            Self::Sums(cells) => cells.get_mut(interval).map_or(0, |cell| cell.add(value, times)),
            Self::Values(cells) => cells.get_mut(interval).map_or(0, |cell| cell.add(value, times)),
            Self::Buckets(cells) => {
                let is_new = cells.get_mut(interval).is_some_and(|cell| cell.add(value, times));
                if is_new { size_of::<(f64, u64)>() } else { 0 }
            }
        }
    }

    /// Adds several values of one interval; returns the added bytes.
    pub(super) fn add_each(&mut self, interval: usize, values: &[f64]) -> usize {
        match self {
            Self::Values(cells) if values.iter().all(|value| is_measurable(*value)) => {
                cells.get_mut(interval).map_or(0, |cell| cell.add_each(values.iter().copied()))
            }
            _ => values.iter().map(|value| self.add(interval, *value, 1)).sum(),
        }
    }

    /// Merges the cells of another tally for the same group; returns the added bytes.
    pub(super) fn merge(&mut self, other: Self) -> usize {
        match (self, other) {
            (Self::Counts(cells), Self::Counts(others)) => {
                cells.iter_mut().zip(others).for_each(|(cell, other)| *cell += other);
                0
            }
            (Self::Min(cells), Self::Min(others)) => merge_each(cells, others, f64::min),
            (Self::Max(cells), Self::Max(others)) => merge_each(cells, others, f64::max),
            (Self::Sums(cells), Self::Sums(others)) => {
                cells.iter_mut().zip(&others).map(|(cell, other)| cell.merge(other)).sum()
            }
            (Self::Values(cells), Self::Values(others)) => {
                cells.iter_mut().zip(others).map(|(cell, other)| cell.merge(other)).sum()
            }
            (Self::Buckets(cells), Self::Buckets(others)) => {
                let new: usize = cells.iter_mut().zip(&others).map(|(cell, other)| cell.merge(other)).sum();
                new * size_of::<(f64, u64)>()
            }
            // Cells of different functions cannot be merged.
            _ => 0,
        }
    }
}

/// Whether a number is in range; false for NaN.
pub(super) fn is_measurable(value: f64) -> bool {
    value.abs() <= MAX_MAGNITUDE
}

fn keep(cell: Option<&mut Option<f64>>, value: f64, choose: fn(f64, f64) -> f64) -> usize {
    // Normalizes negative zero.
    let value = value + 0.0;
    if let Some(cell) = cell {
        *cell = Some(cell.map_or(value, |known| choose(known, value)));
    }
    0
}

fn merge_each(cells: &mut [Option<f64>], others: Vec<Option<f64>>, choose: fn(f64, f64) -> f64) -> usize {
    for (cell, other) in cells.iter_mut().zip(others) {
        if let Some(other) = other {
            keep(Some(cell), other, choose);
        }
    }
    0
}
