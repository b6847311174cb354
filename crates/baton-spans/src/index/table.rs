//! Row-level access to a segment, sufficient to count most rows without reading their spans.

use super::{Atom, IndexPredicate, Postings, RowParents, ValueLocation};
use baton_span_ports::SpanStoreError;
use baton_types::SpanId;
use roaring::RoaringBitmap;
use std::ops::{ControlFlow, Range};

/// Receives rows with the durations of their spans in nanoseconds; breaks to stop.
pub(crate) type DurationVisitor<'f> = &'f mut dyn FnMut(&[u32], &[u64]) -> ControlFlow<()>;

/// Row-level access to a segment.
pub(crate) trait RowTable: Postings {
    /// Rows for which a predicate holds.
    fn matching_rows(
        &self,
        location: ValueLocation,
        key: &str,
        test: &IndexPredicate,
    ) -> Result<PredicateRows, SpanStoreError>;

    /// Rows that do not have exactly one scalar value: a list, a repeated key, or a value that cannot be compared.
    fn not_single_valued(&self, location: ValueLocation, key: &str) -> Result<RoaringBitmap, SpanStoreError>;

    /// Passes values to the callback with the selected rows that have them, until it breaks; a value may occur several
    /// times.
    fn each_value(
        &self,
        location: ValueLocation,
        key: &str,
        selection: &RowSelection,
        each: &mut dyn FnMut(Atom<'_>, &[u32]) -> ControlFlow<()>,
    ) -> Result<(), SpanStoreError>;

    /// Passes the selected rows to the callback in batches with the durations of their spans in nanoseconds, until it
    /// breaks.
    fn each_duration(&self, selection: &RowSelection, each: DurationVisitor<'_>) -> Result<(), SpanStoreError>;

    /// Passes the start times of rows to the callback in batches; batches outside the time range may be skipped.
    /// Returns the number of bytes read.
    fn each_start(
        &self,
        rows: Range<u32>,
        time: Range<u64>,
        each: &mut dyn FnMut(u32, &[u64]),
    ) -> Result<u64, SpanStoreError>;

    /// Number of traces.
    fn traces(&self) -> u32;

    /// The rows of traces.
    fn rows_of(&self, traces: &RoaringBitmap) -> RoaringBitmap;

    /// A range that contains the rows of the traces with these ordinals.
    fn rows_between(&self, ordinals: Range<u32>) -> Range<u32>;

    /// Passes the traces with these ordinals to the callback, with their rows in ascending order.
    fn each_trace(&self, ordinals: Range<u32>, each: &mut dyn FnMut(u32, &[u32]));

    /// Whether the parents of rows are known; they are not in older blocks.
    fn has_parents(&self) -> bool;

    /// Parents of the rows of the traces with these ordinals.
    fn parents(&self, ordinals: Range<u32>) -> Result<RowParents, SpanStoreError>;

    /// Traces that contain a span twice.
    fn traces_with_duplicates(&self) -> RoaringBitmap;

    /// Passes the id hashes, computed by [`span_id_hash`], of the spans of traces to the callback.
    fn each_id_hash(&self, traces: &RoaringBitmap, each: &mut dyn FnMut(u32, u32)) -> Result<(), SpanStoreError>;
}

/// Rows for which a predicate holds.
#[derive(Default)]
pub(crate) struct PredicateRows {
    /// Rows with a value for which it certainly holds.
    pub(crate) certain: RoaringBitmap,
    /// Rows for which it may hold: their text is truncated.
    pub(crate) possible: RoaringBitmap,
}

/// Hash of a span id for duplicate detection: different hashes mean different spans.
pub(crate) fn span_id_hash(id: SpanId) -> u32 {
    crc32fast::hash(&id.0) & 0x00ff_ffff
}

/// Set of selected rows within a range, as a bitset.
#[derive(Clone)]
pub(crate) struct RowSelection {
    pub(crate) rows: Range<u32>,
    bits: Vec<u64>,
}

impl RowSelection {
    /// An empty set over a range of rows.
    pub(crate) fn none(rows: Range<u32>) -> Self {
        Self { bits: vec![0; rows.len().div_ceil(64)], rows }
    }

    /// The rows of a range that satisfy the condition, which is called in row order.
    pub(crate) fn from_condition(rows: Range<u32>, mut holds: impl FnMut(u32) -> bool) -> Self {
        let mut bits = vec![0; rows.len().div_ceil(64)];
        for (word, first) in bits.iter_mut().zip(rows.clone().step_by(64)) {
            for (bit, row) in (first..rows.end.min(first.saturating_add(64))).enumerate() {
                *word |= u64::from(holds(row)) << bit;
            }
        }
        Self { rows, bits }
    }

    /// All rows of a range.
    pub(crate) fn all(rows: Range<u32>) -> Self {
        Self::none(rows).complement()
    }

    /// Those of the rows that are in the range.
    pub(crate) fn from_bitmap(rows: Range<u32>, selected: &RoaringBitmap) -> Self {
        let mut selection = Self::none(rows);
        for row in selected.range(selection.rows.clone()) {
            selection.set(row, true);
        }
        selection
    }

    /// Whether a row is selected.
    pub(crate) fn has(&self, row: u32) -> bool {
        match row.checked_sub(self.rows.start) {
            Some(at) => self.bits.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1),
            None => false,
        }
    }

    /// Retains only selected rows in a list; the order is kept.
    pub(crate) fn retain_selected(&self, rows: &mut Vec<u32>) {
        let mut count = 0;
        // Branch-free: the selection is unpredictable for the processor.
        for at in 0..rows.len() {
            let row = rows[at];
            rows[count] = row;
            count += usize::from(self.has(row));
        }
        rows.truncate(count);
    }

    /// Selects or deselects a row.
    pub(crate) fn set(&mut self, row: u32, selected: bool) {
        let Some(at) = row.checked_sub(self.rows.start) else { return };
        if let Some(word) = self.bits.get_mut(at as usize / 64) {
            let bit = 1 << (at % 64);
            *word = if selected { *word | bit } else { *word & !bit };
        }
    }

    /// Rows of the range that are not selected.
    pub(crate) fn complement(mut self) -> Self {
        self.bits.iter_mut().for_each(|word| *word = !*word);
        if let (Some(last), rest @ 1..) = (self.bits.last_mut(), self.rows.len() % 64) {
            *last &= (1 << rest) - 1;
        }
        self
    }

    /// Rows that are also in a set over the same range.
    pub(crate) fn intersection(mut self, other: &Self) -> Self {
        self.bits.iter_mut().zip(&other.bits).for_each(|(word, other)| *word &= other);
        self
    }

    /// Rows that are in this set or in one over the same range.
    pub(crate) fn union(mut self, other: &Self) -> Self {
        self.bits.iter_mut().zip(&other.bits).for_each(|(word, other)| *word |= other);
        self
    }

    /// Rows that are not in another set over the same range.
    pub(crate) fn difference(mut self, other: &Self) -> Self {
        self.bits.iter_mut().zip(&other.bits).for_each(|(word, other)| *word &= !other);
        self
    }

    /// A copy without some rows.
    pub(crate) fn without(&self, others: &RoaringBitmap) -> Self {
        let mut left = self.clone();
        left.remove(others);
        left
    }

    /// Deselects some rows.
    pub(crate) fn remove(&mut self, others: &RoaringBitmap) {
        for row in others.range(self.rows.clone()) {
            self.set(row, false);
        }
    }

    /// Passes the selected rows to the callback in order.
    pub(crate) fn each(&self, mut each: impl FnMut(u32)) {
        for (number, word) in self.bits.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                each(self.rows.start + (number * 64) as u32 + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }

    /// Whether no row is selected.
    pub(crate) fn is_empty(&self) -> bool {
        self.bits.iter().all(|word| *word == 0)
    }
}
