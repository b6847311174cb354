//! Sorts numbers by cell before they are tallied, for better cache locality.

use super::{exemplars::ExemplarSampler, groups::RowGroups, intervals::RowIntervals, tally_groups::TallyGroups};
use baton_traceql::Tally;

/// Numbers per batch, sized for the processor cache.
const BATCH_NUMBERS: usize = 1 << 16;
/// With more cells than this, numbers are tallied one by one.
const MAX_SORTED_CELLS: usize = 1 << 18;

/// Tallies the numbers of the rows of one segment.
pub(super) struct NumberSorter<'a> {
    tally: &'a mut Tally,
    intervals: &'a RowIntervals,
    groups: &'a RowGroups,
    named: &'a mut TallyGroups,
    choice: &'a mut ExemplarSampler,
    /// Cell of each pending number: its group and interval.
    cells: Vec<u32>,
    numbers: Vec<f64>,
    /// End of the numbers of each cell, once they are sorted.
    ends: Vec<u32>,
    sorted: Vec<f64>,
}

impl<'a> NumberSorter<'a> {
    pub(super) fn new(
        tally: &'a mut Tally,
        intervals: &'a RowIntervals,
        groups: &'a RowGroups,
        named: &'a mut TallyGroups,
        choice: &'a mut ExemplarSampler,
    ) -> Self {
        let cells = groups.values.len() * intervals.steps.count();
        let ends = if cells <= MAX_SORTED_CELLS { vec![0; cells] } else { Vec::new() };
        Self {
            tally,
            intervals,
            groups,
            named,
            choice,
            cells: Vec::with_capacity(BATCH_NUMBERS),
            numbers: Vec::with_capacity(BATCH_NUMBERS),
            ends,
            sorted: vec![0.0; BATCH_NUMBERS],
        }
    }

    /// Adds the number of a row.
    pub(super) fn add(&mut self, row: u32, number: f64) {
        let (group, interval) = (self.groups.group_of(row), self.intervals.interval_of(row));
        self.choice.offer(row, group, number);
        if self.ends.is_empty() {
            if let Some(named) = self.named.get(self.tally, self.groups, group) {
                self.tally.add(named, interval, number);
            }
            return;
        }
        self.cells.push((group * self.intervals.steps.count() + interval) as u32);
        self.numbers.push(number);
        if self.numbers.len() == BATCH_NUMBERS {
            self.finish();
        }
    }

    /// Tallies the pending numbers.
    pub(super) fn finish(&mut self) {
        self.ends.fill(0);
        self.cells.iter().for_each(|cell| self.ends[*cell as usize] += 1);
        let mut start = 0;
        for end in &mut self.ends {
            // Start of the cell; after all numbers are placed, its end.
            start += std::mem::replace(end, start);
        }
        for (cell, number) in self.cells.iter().zip(&self.numbers) {
            let at = &mut self.ends[*cell as usize];
            self.sorted[*at as usize] = *number;
            *at += 1;
        }
        let (count, mut start) = (self.intervals.steps.count(), 0);
        for (cell, end) in self.ends.iter().enumerate() {
            let of_cell = &self.sorted[start..*end as usize];
            start = *end as usize;
            if of_cell.is_empty() {
                continue;
            }
            if let Some(named) = self.named.get(self.tally, self.groups, cell / count) {
                self.tally.add_each(named, cell % count, of_cell);
            }
        }
        self.cells.clear();
        self.numbers.clear();
    }
}
