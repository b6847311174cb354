//! What is known of rows one by one: so much that most of them can be counted without being read.

use super::{Atom, Place, Postings, Test};
use baton_ports::SpanStoreError;
use baton_types::SpanId;
use roaring::RoaringBitmap;
use std::ops::{ControlFlow, Range};

/// Sees rows with how many nanoseconds their spans took, and says whether there are enough.
pub(crate) type EachDuration<'f> = &'f mut dyn FnMut(&[u32], &[u64]) -> ControlFlow<()>;

/// What is known of rows one by one.
pub(crate) trait Table: Postings {
    /// Rows for which a test holds.
    fn held(&self, place: Place, key: &str, test: &Test) -> Result<Held, SpanStoreError>;

    /// Rows that have something else than one plain value: a list, the same key twice, nothing that can be compared.
    fn unclear(&self, place: Place, key: &str) -> Result<RoaringBitmap, SpanStoreError>;

    /// Gives values with those of the wanted rows that have them, until there are enough; a value may come several times.
    fn each_value(
        &self,
        place: Place,
        key: &str,
        wanted: &Wanted,
        each: &mut dyn FnMut(Atom<'_>, &[u32]) -> ControlFlow<()>,
    ) -> Result<(), SpanStoreError>;

    /// Gives wanted rows by stretches with how many nanoseconds their spans took, until there are enough.
    fn each_duration(&self, wanted: &Wanted, each: EachDuration<'_>) -> Result<(), SpanStoreError>;

    /// Gives when the spans in some rows began, by stretches; those that have nothing to do with this time may be left out.
    /// Says how many bytes were read.
    fn each_start(
        &self,
        rows: Range<u32>,
        time: Range<u64>,
        each: &mut dyn FnMut(u32, &[u64]),
    ) -> Result<u64, SpanStoreError>;

    /// The rows of traces.
    fn rows_of(&self, traces: &RoaringBitmap) -> RoaringBitmap;

    /// Rows among which those of the traces with these ordinals are.
    fn rows_between(&self, ordinals: Range<u32>) -> Range<u32>;

    /// Traces in which a span occurs twice.
    fn repeating(&self) -> RoaringBitmap;

    /// Gives the marks of the spans of traces, which [`mark`] makes of their ids.
    fn each_mark(&self, traces: &RoaringBitmap, each: &mut dyn FnMut(u32, u32)) -> Result<(), SpanStoreError>;
}

/// Rows for which a test holds.
#[derive(Default)]
pub(crate) struct Held {
    /// For one of their values, surely.
    pub(crate) surely: RoaringBitmap,
    /// Perhaps: too little of the value is known.
    pub(crate) perhaps: RoaringBitmap,
}

/// What stands for the id of a span where only equal ones are looked for: spans with different marks are different.
pub(crate) fn mark(id: SpanId) -> u32 {
    crc32fast::hash(&id.0) & 0x00ff_ffff
}

/// Rows that are wanted, one bit for each.
pub(crate) struct Wanted {
    pub(crate) rows: Range<u32>,
    bits: Vec<u64>,
}

impl Wanted {
    /// None of these rows yet.
    pub(crate) fn none(rows: Range<u32>) -> Self {
        Self { bits: vec![0; rows.len().div_ceil(64)], rows }
    }

    /// Those of these rows for which something holds, which is asked of them in their order.
    pub(crate) fn chosen(rows: Range<u32>, mut holds: impl FnMut(u32) -> bool) -> Self {
        let mut bits = vec![0; rows.len().div_ceil(64)];
        for (word, first) in bits.iter_mut().zip(rows.clone().step_by(64)) {
            for (bit, row) in (first..rows.end.min(first.saturating_add(64))).enumerate() {
                *word |= u64::from(holds(row)) << bit;
            }
        }
        Self { rows, bits }
    }

    /// Whether a row is wanted.
    pub(crate) fn has(&self, row: u32) -> bool {
        match row.checked_sub(self.rows.start) {
            Some(at) => self.bits.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1),
            None => false,
        }
    }

    /// Leaves only those in a list of rows, which stay in their order.
    pub(crate) fn keep_in(&self, rows: &mut Vec<u32>) {
        let mut kept = 0;
        // Which rows are wanted is nothing that a processor could guess.
        for at in 0..rows.len() {
            let row = rows[at];
            rows[kept] = row;
            kept += usize::from(self.has(row));
        }
        rows.truncate(kept);
    }

    /// Makes it wanted or not.
    pub(crate) fn set(&mut self, row: u32, wanted: bool) {
        let Some(at) = row.checked_sub(self.rows.start) else { return };
        if let Some(word) = self.bits.get_mut(at as usize / 64) {
            let bit = 1 << (at % 64);
            *word = if wanted { *word | bit } else { *word & !bit };
        }
    }

    /// Those without some.
    pub(crate) fn without(&self, others: &RoaringBitmap) -> Self {
        let mut left = Self { rows: self.rows.clone(), bits: self.bits.clone() };
        left.remove(others);
        left
    }

    /// Leaves some out.
    pub(crate) fn remove(&mut self, others: &RoaringBitmap) {
        for row in others.range(self.rows.clone()) {
            self.set(row, false);
        }
    }

    /// Gives them in their order.
    pub(crate) fn each(&self, mut each: impl FnMut(u32)) {
        for (number, word) in self.bits.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                each(self.rows.start + (number * 64) as u32 + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.bits.iter().all(|word| *word == 0)
    }
}
