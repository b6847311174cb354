//! The intervals of an answer.

/// Intervals of the same length that follow each other; a span belongs to the one in which it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    start: u64,
    step: u64,
    count: usize,
}

const SECOND: u64 = 1_000_000_000;

impl Steps {
    /// More intervals than anybody can look at.
    pub const MOST: usize = 11_000;

    /// The intervals of that length that cover a stretch of time; none when they would be too many, or the length is 0.
    pub fn cover(start: u64, end: u64, step: u64) -> Option<Self> {
        let first = start.checked_div(step)?.checked_mul(step)?;
        let last = end.div_ceil(step).checked_mul(step)?;
        let count = usize::try_from(last.checked_sub(first)? / step).ok()?.max(1);
        (count <= Self::MOST).then_some(Self { start: first, step, count })
    }

    /// One interval: exactly that stretch of time.
    pub fn whole(start: u64, end: u64) -> Self {
        Self { start, step: end.saturating_sub(start).max(1), count: 1 }
    }

    /// The length that suits a stretch of time: about 240 intervals of a length that people know.
    pub fn suiting(range: u64) -> u64 {
        let wanted = range / 240;
        let units = [3600 * SECOND, 300 * SECOND, 60 * SECOND, 15 * SECOND, 5 * SECOND, SECOND, SECOND / 20];
        let unit = units.into_iter().find(|unit| *unit <= wanted).unwrap_or(SECOND / 20);
        (wanted / unit).max(1) * unit
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// How long each is, in seconds.
    pub fn seconds(&self) -> f64 {
        self.step as f64 / SECOND as f64
    }

    /// When the first begins.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The end of an interval, by which it is known.
    pub fn end_of(&self, index: usize) -> u64 {
        let index = u64::try_from(index).unwrap_or(u64::MAX).saturating_add(1);
        self.start.saturating_add(self.step.saturating_mul(index))
    }

    /// In which of them a moment lies.
    pub fn index(&self, at: u64) -> Option<usize> {
        let index = usize::try_from(at.checked_sub(self.start)? / self.step).ok()?;
        (index < self.count).then_some(index)
    }
}
