//! Intervals of a metrics query.

/// Consecutive intervals of equal length; a span belongs to the interval of its start time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    start: u64,
    step: u64,
    count: usize,
}

const SECOND: u64 = 1_000_000_000;

impl Steps {
    /// Maximum number of intervals.
    pub const MAX_INTERVALS: usize = 11_000;

    /// Aligned intervals that cover a time range; none if there would be too many or the step is 0.
    pub fn cover(start: u64, end: u64, step: u64) -> Option<Self> {
        let first = start.checked_div(step)?.checked_mul(step)?;
        let last = end.div_ceil(step).checked_mul(step)?;
        let count = usize::try_from(last.checked_sub(first)? / step).ok()?.max(1);
        (count <= Self::MAX_INTERVALS).then_some(Self { start: first, step, count })
    }

    /// A single interval with exactly this time range.
    pub fn single(start: u64, end: u64) -> Self {
        Self { start, step: end.saturating_sub(start).max(1), count: 1 }
    }

    /// Default step for a time range: about 240 intervals, rounded to a common unit.
    pub fn default_step(range: u64) -> u64 {
        let target = range / 240;
        let units = [3600 * SECOND, 300 * SECOND, 60 * SECOND, 15 * SECOND, 5 * SECOND, SECOND, SECOND / 20];
        let unit = units.into_iter().find(|unit| *unit <= target).unwrap_or(SECOND / 20);
        (target / unit).max(1) * unit
    }

    /// Number of intervals.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Length of an interval in seconds.
    pub fn seconds(&self) -> f64 {
        self.step as f64 / SECOND as f64
    }

    /// Start of the first interval.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// End of an interval, which is its timestamp.
    pub fn end_of(&self, index: usize) -> u64 {
        let index = u64::try_from(index).unwrap_or(u64::MAX).saturating_add(1);
        self.start.saturating_add(self.step.saturating_mul(index))
    }

    /// Index of the interval that contains a time.
    pub fn index(&self, at: u64) -> Option<usize> {
        let index = usize::try_from(at.checked_sub(self.start)? / self.step).ok()?;
        (index < self.count).then_some(index)
    }
}
