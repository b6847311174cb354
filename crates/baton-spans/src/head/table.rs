//! Row-level access to a head.

use super::{
    columns::{ColumnPairs, HeadColumn},
    content::{HeadContent, too_many_spans},
};
use crate::{
    codec,
    index::{
        Atom, DurationVisitor, IndexPredicate, PredicateRows, RowParents, RowSelection, RowTable, ValueLocation,
        append_parent_codes, span_id_hash,
    },
};
use baton_span_ports::SpanStoreError;
use roaring::RoaringBitmap;
use std::ops::{ControlFlow, Range};

/// Rows per callback.
const BATCH_ROWS: usize = 4096;

type ColumnValueVisitor<'f> = &'f mut dyn FnMut(Atom<'_>, &[u32]) -> ControlFlow<()>;

impl RowTable for HeadContent {
    fn matching_rows(
        &self,
        location: ValueLocation,
        key: &str,
        test: &IndexPredicate,
    ) -> Result<PredicateRows, SpanStoreError> {
        let columns = self.columns(location);
        let Some(column) = columns.get(location, key) else { return Ok(PredicateRows::default()) };
        let (surely, perhaps) = column.matches(test, columns.state());
        Ok(PredicateRows {
            certain: self.rows_of_entries(location, &surely),
            possible: self.rows_of_entries(location, &perhaps),
        })
    }

    fn not_single_valued(&self, location: ValueLocation, key: &str) -> Result<RoaringBitmap, SpanStoreError> {
        let Some(column) = self.columns(location).get(location, key) else { return Ok(RoaringBitmap::new()) };
        let entries: Vec<u32> = column.incomparable.iter().chain(&column.not_single).copied().collect();
        Ok(self.rows_of_entries(location, &entries))
    }

    fn each_value(
        &self,
        location: ValueLocation,
        key: &str,
        selection: &RowSelection,
        each: ColumnValueVisitor<'_>,
    ) -> Result<(), SpanStoreError> {
        if let Some(column) = self.columns(location).get(location, key) {
            let rows = if location.is_shared() {
                SelectedRowMap::Shared(SelectedSharedRows::new(self, selection))
            } else {
                SelectedRowMap::Own(selection)
            };
            let _ = each_value(column, &rows, each);
        }
        Ok(())
    }

    fn each_duration(&self, selection: &RowSelection, each: DurationVisitor<'_>) -> Result<(), SpanStoreError> {
        let known = self.durations();
        let duration = |row: &u32| known.get(*row as usize).map_or(0, |duration| duration.unsigned_abs());
        let (mut rows, mut durations) = (Vec::with_capacity(BATCH_ROWS), Vec::with_capacity(BATCH_ROWS));
        for first in selection.rows.clone().step_by(BATCH_ROWS) {
            rows.clear();
            rows.extend(first..selection.rows.end.min(first.saturating_add(BATCH_ROWS as u32)));
            selection.retain_selected(&mut rows);
            durations.clear();
            durations.extend(rows.iter().map(duration));
            if each(&rows, &durations).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn each_start(
        &self,
        rows: Range<u32>,
        _: Range<u64>,
        each: &mut dyn FnMut(u32, &[u64]),
    ) -> Result<u64, SpanStoreError> {
        let mut starts = Vec::with_capacity(BATCH_ROWS);
        let mut first = rows.start;
        let here = self.rows.get(rows.start as usize..rows.end as usize).unwrap_or_default();
        for stretch in here.chunks(BATCH_ROWS) {
            starts.clear();
            starts.extend(stretch.iter().map(|row| row.start));
            each(first, &starts);
            first += stretch.len() as u32;
        }
        Ok(0)
    }

    fn traces(&self) -> u32 {
        self.traces.len() as u32
    }

    fn rows_of(&self, traces: &RoaringBitmap) -> RoaringBitmap {
        traces.iter().flat_map(|ordinal| self.rows_of(ordinal)).collect()
    }

    fn rows_between(&self, ordinals: Range<u32>) -> Range<u32> {
        if ordinals.is_empty() { 0..0 } else { 0..self.rows.len() as u32 }
    }

    fn each_trace(&self, ordinals: Range<u32>, each: &mut dyn FnMut(u32, &[u32])) {
        let mut list = Vec::new();
        for ordinal in ordinals {
            list.clear();
            list.extend(self.rows_of(ordinal));
            each(ordinal, &list);
        }
    }

    fn has_parents(&self) -> bool {
        true
    }

    fn parents(&self, ordinals: Range<u32>) -> Result<RowParents, SpanStoreError> {
        let mut parents = RowParents::new(self.rows_between(ordinals.clone()));
        let (mut rows, mut nodes, mut codes) = (Vec::new(), Vec::new(), Vec::new());
        for ordinal in ordinals {
            rows.clear();
            nodes.clear();
            codes.clear();
            for row in self.rows_of(ordinal) {
                rows.push(row);
                nodes.push(codec::read_node(self.body(row))?);
            }
            append_parent_codes(&nodes, &mut codes);
            parents.set_trace(|position| rows[position], &codes).ok_or_else(too_many_spans)?;
        }
        Ok(parents)
    }

    fn traces_with_duplicates(&self) -> RoaringBitmap {
        let mut repeating = RoaringBitmap::new();
        let mut ids = Vec::new();
        for (ordinal, _) in self.traces.iter().enumerate().filter(|(_, trace)| trace.first != trace.last) {
            if self.has_duplicates(ordinal as u32, &mut ids) {
                repeating.insert(ordinal as u32);
            }
        }
        repeating
    }

    fn each_id_hash(&self, traces: &RoaringBitmap, each: &mut dyn FnMut(u32, u32)) -> Result<(), SpanStoreError> {
        for ordinal in traces {
            self.rows_of(ordinal).for_each(|row| each(ordinal, span_id_hash(self.rows[row as usize].id)));
        }
        Ok(())
    }
}

/// Maps entries of a column to rows.
enum SelectedRowMap<'a> {
    Own(&'a RowSelection),
    Shared(SelectedSharedRows),
}

impl SelectedRowMap<'_> {
    fn push(&self, into: &mut Vec<u32>, entry: u32) {
        match self {
            Self::Own(selection) => into.extend(Some(entry).filter(|row| selection.has(*row))),
            Self::Shared(sharing) => into.extend_from_slice(sharing.rows(entry)),
        }
    }
}

/// The selected rows of each resource and scope.
struct SelectedSharedRows {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl SelectedSharedRows {
    fn new(content: &HeadContent, selection: &RowSelection) -> Self {
        let mut starts = vec![0u32; content.shared.len() + 1];
        selection.each(|row| starts[content.shared_of[row as usize] as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; starts.last().map_or(0, |last| *last as usize)];
        selection.each(|row| {
            let at = &mut next[content.shared_of[row as usize] as usize];
            rows[*at as usize] = row;
            *at += 1;
        });
        Self { starts, rows }
    }

    fn rows(&self, shared: u32) -> &[u32] {
        &self.rows[self.starts[shared as usize] as usize..self.starts[shared as usize + 1] as usize]
    }
}

/// Texts are passed once with all their rows, numbers once per entry.
fn each_value(column: &HeadColumn, rows: &SelectedRowMap<'_>, each: ColumnValueVisitor<'_>) -> ControlFlow<()> {
    let mut of_text = vec![Vec::new(); column.dictionary.len()];
    for (entry, number) in column.texts.entries.iter().zip(&column.texts.values) {
        rows.push(&mut of_text[*number as usize], *entry);
    }
    for (number, rows) in of_text.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
        each(Atom::Text(column.dictionary.text(number as u32)), rows)?;
    }
    each_pair(&column.ints, Atom::Int, rows, each)?;
    each_pair(&column.floats, Atom::Float, rows, each)?;
    each_pair(&column.bools, Atom::Bool, rows, each)
}

fn each_pair<T: Copy>(
    pairs: &ColumnPairs<T>,
    atom: impl Fn(T) -> Atom<'static>,
    rows: &SelectedRowMap<'_>,
    each: ColumnValueVisitor<'_>,
) -> ControlFlow<()> {
    let mut found = Vec::new();
    for (entry, value) in pairs.entries.iter().zip(&pairs.values) {
        found.clear();
        rows.push(&mut found, *entry);
        if !found.is_empty() {
            each(atom(*value), &found)?;
        }
    }
    ControlFlow::Continue(())
}
