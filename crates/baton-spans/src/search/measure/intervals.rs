//! Time interval of each row.

use crate::index::RowSelection;
use baton_traceql::Steps;
use roaring::RoaringBitmap;
use std::ops::Range;

/// Sentinel: outside of all intervals.
const NO_INTERVAL: u16 = u16::MAX;
const _: () = assert!(Steps::MAX_INTERVALS < NO_INTERVAL as usize);

/// Interval in which each row began.
pub(super) struct RowIntervals {
    pub(super) steps: Steps,
    rows: Range<u32>,
    of_row: Vec<u16>,
}

impl RowIntervals {
    /// No row has an interval yet.
    pub(super) fn new(rows: Range<u32>, steps: Steps) -> Self {
        Self { steps, of_row: vec![NO_INTERVAL; rows.len()], rows }
    }

    /// Time range of all intervals.
    pub(super) fn time(&self) -> Range<u64> {
        self.steps.start()..self.steps.end_of(self.steps.count() - 1)
    }

    /// Sets the intervals of consecutive rows from their start times.
    pub(super) fn set(&mut self, first: u32, starts: &[u64]) {
        let at = (first - self.rows.start) as usize;
        let Some(of_row) = self.of_row.get_mut(at..at + starts.len()) else { return };
        // Neighbors usually began in the same interval, which avoids the division.
        let (mut here, mut index) = (0..0, NO_INTERVAL);
        for (interval, start) in of_row.iter_mut().zip(starts) {
            if !here.contains(start) {
                index = self.steps.index(*start).map_or(NO_INTERVAL, |index| index as u16);
                here = match index {
                    NO_INTERVAL => 0..0,
                    index => {
                        let end = self.steps.end_of(usize::from(index));
                        let start = usize::from(index).checked_sub(1).map(|before| self.steps.end_of(before));
                        start.unwrap_or(self.steps.start())..end
                    }
                };
            }
            *interval = index;
        }
    }

    /// The interval of a row that has one.
    pub(super) fn interval_of(&self, row: u32) -> usize {
        usize::from(self.of_row[(row - self.rows.start) as usize])
    }

    fn has_interval(&self, row: u32) -> bool {
        self.of_row.get((row.wrapping_sub(self.rows.start)) as usize).is_some_and(|interval| *interval != NO_INTERVAL)
    }

    /// All rows that have an interval.
    pub(super) fn all_rows(&self) -> RowSelection {
        let mut intervals = self.of_row.iter();
        RowSelection::from_condition(self.rows.clone(), |_| {
            intervals.next().is_some_and(|interval| *interval != NO_INTERVAL)
        })
    }

    /// Those of the rows that have an interval, as a selection.
    pub(super) fn select(&self, rows: &RoaringBitmap) -> RowSelection {
        let mut selection = RowSelection::none(self.rows.clone());
        for row in rows.range(self.rows.clone()).filter(|row| self.has_interval(*row)) {
            selection.set(row, true);
        }
        selection
    }

    /// Those of the rows that have an interval, as a bitmap.
    pub(super) fn in_time(&self, rows: &RoaringBitmap) -> RoaringBitmap {
        rows.range(self.rows.clone()).filter(|row| self.has_interval(*row)).collect()
    }
}
