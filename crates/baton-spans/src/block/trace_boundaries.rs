//! Mapping between rows and traces.

use roaring::RoaringBitmap;
use std::ops::Range;

/// One bit per row, set for the first row of each trace, with rank and select.
pub(super) struct TraceBoundaries {
    words: Vec<u64>,
    /// Number of traces that begin before each word.
    before: Vec<u32>,
    rows: u32,
}

impl TraceBoundaries {
    /// From the first rows of the traces of a block with that many rows.
    pub(super) fn new(first_rows: &RoaringBitmap, rows: u32) -> Self {
        let mut words = vec![0u64; (rows as usize).div_ceil(64)];
        for row in first_rows {
            if let Some(word) = words.get_mut(row as usize / 64) {
                *word |= 1 << (row % 64);
            }
        }
        let mut traces = 0;
        let mut before = Vec::with_capacity(words.len());
        for word in &words {
            before.push(traces);
            traces += word.count_ones();
        }
        Self { words, before, rows }
    }

    /// The ordinal of the trace of a row.
    pub(super) fn ordinal(&self, row: u32) -> Option<u32> {
        let at = row as usize / 64;
        let up_to_row = self.words.get(at)? & (u64::MAX >> (63 - row % 64));
        (self.before.get(at)? + up_to_row.count_ones()).checked_sub(1)
    }

    /// The rows of a trace.
    pub(super) fn rows(&self, ordinal: u32) -> Range<u32> {
        let Some(at) = self.before.partition_point(|before| *before <= ordinal).checked_sub(1) else { return 0..0 };
        let mut word = self.words[at];
        for _ in (self.before[at]..ordinal).take(64) {
            word &= word.wrapping_sub(1);
        }
        if word == 0 {
            return 0..0;
        }
        let first = at as u32 * 64 + word.trailing_zeros();
        first..self.next_first_row(at, word & (word - 1))
    }

    /// The first row set in the rest of a word, or in the words after it.
    fn next_first_row(&self, at: usize, left: u64) -> u32 {
        let words = std::iter::once(left).chain(self.words[at + 1..].iter().copied());
        let found = (at as u32..).zip(words).find(|(_, word)| *word != 0);
        found.map_or(self.rows, |(at, word)| at * 64 + word.trailing_zeros())
    }

    /// The rows of every trace, in order.
    pub(super) fn each(&self) -> impl Iterator<Item = Range<u32>> {
        let mut at = 0;
        let mut word = self.words.first().copied().unwrap_or_default();
        let mut firsts = std::iter::from_fn(move || {
            while word == 0 {
                at += 1;
                word = *self.words.get(at)?;
            }
            let row = at as u32 * 64 + word.trailing_zeros();
            word &= word - 1;
            Some(row)
        });
        let mut next = firsts.next();
        std::iter::from_fn(move || {
            let first = next?;
            next = firsts.next();
            Some(first..next.unwrap_or(self.rows))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_and_traces_match_a_plain_list(gaps in prop::collection::vec(1u32..200, 0..200)) {
            let ends: Vec<u32> = gaps.iter().scan(0, |end, gap| { *end += gap; Some(*end) }).collect();
            let rows = ends.last().copied().unwrap_or(0);
            let starts = std::iter::once(0).chain(ends.iter().copied()).take(ends.len());
            let firsts = TraceBoundaries::new(&starts.clone().collect(), rows);
            let traces: Vec<Range<u32>> = starts.zip(&ends).map(|(start, end)| start..*end).collect();
            for (ordinal, trace) in (0..).zip(&traces) {
                prop_assert_eq!(firsts.rows(ordinal), trace.clone());
                for row in trace.clone() {
                    prop_assert_eq!(firsts.ordinal(row), Some(ordinal));
                }
            }
            prop_assert_eq!(firsts.rows(traces.len() as u32), 0..0);
            prop_assert_eq!(firsts.ordinal(rows.next_multiple_of(64)), None);
            prop_assert_eq!(firsts.each().collect::<Vec<_>>(), traces);
        }
    }
}
