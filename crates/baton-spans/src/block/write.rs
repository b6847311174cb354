//! Writes a head as a block.

use super::{
    BlockInputs, SpanBlock,
    block_writer::{BlockWriter, write_block},
    deduplicator::SpanDeduplicator,
    value_rows::ValueRows,
    write_field::FieldWriter,
};
use crate::{
    codec,
    head::{HeadColumn, HeadContent, SpanHead},
    index::{Atom, AtomKind},
    segment::TracePart,
};
use baton_span_ports::SpanStoreError;
use std::{cmp::Reverse, path::Path};

/// Blocks written from a head are merged soon: fast compression is preferred.
const COMPRESSION_LEVEL: i32 = 1;

/// Sentinel for a row that is not written, because it is a duplicate.
pub(super) const DROPPED_ROW: u32 = u32::MAX;

/// Writes the head as the directory `dir`, without duplicates; the block is durable when this returns.
pub(crate) fn write(dir: &Path, head: &SpanHead, covers: BlockInputs) -> Result<SpanBlock, SpanStoreError> {
    let content = head.content();
    write_block(dir, COMPRESSION_LEVEL, head.class(), covers, |draft| {
        let mut form = Vec::new();
        for (resource, scope) in &content.shared {
            form.clear();
            codec::append(&mut form, &(&**resource, &**scope))?;
            draft.add_shared(&form)?;
        }
        let rows = write_rows(draft, &content)?;
        let sharing = BlockSharedRows::new(&content, &rows);
        let own = content.own.columns.iter().map(|column| (column, BlockRowMap::Own(&rows)));
        let common = content.common.columns.iter().map(|column| (column, BlockRowMap::Shared(&sharing)));
        let mut columns: Vec<_> = own.chain(common).collect();
        columns.sort_by(|(one, _), (other, _)| (one.location, &one.key).cmp(&(other.location, &other.key)));
        for (column, rows) in columns {
            draft.write_field(column.location, &column.key, |field| write_column(field, column, &rows))?;
        }
        let mut unlisted = BlockRowMap::Own(&rows).map_entries(&content.own.unindexed);
        unlisted.extend(BlockRowMap::Shared(&sharing).map_entries(&content.common.unindexed));
        unlisted.sort_unstable();
        unlisted.dedup();
        draft.write_unindexed(&unlisted)
    })
}

/// Writes the spans, newest trace first; returns the block row of every head row.
fn write_rows(draft: &mut BlockWriter, content: &HeadContent) -> Result<Vec<u32>, SpanStoreError> {
    let mut ordinals: Vec<u32> = (0..content.traces.len() as u32).collect();
    ordinals.sort_unstable_by_key(|ordinal| {
        let trace = &content.traces[*ordinal as usize];
        (Reverse(trace.start), trace.id)
    });
    let mut rows = vec![DROPPED_ROW; content.rows.len()];
    let durations = content.durations();
    let (mut counting, mut ids) = (SpanDeduplicator::default(), Vec::new());
    for ordinal in ordinals {
        let trace = &content.traces[ordinal as usize];
        draft.begin_trace(TracePart { id: trace.id, start: trace.start, end: trace.end })?;
        let has_duplicates = content.has_duplicates(ordinal, &mut ids);
        if has_duplicates {
            counting.clear();
            for row in content.rows_of(ordinal) {
                counting.register(content.rows[row as usize].id, content.body(row), (0, row))?;
            }
        }
        for row in content.rows_of(ordinal) {
            let id = content.rows[row as usize].id;
            if !has_duplicates || counting.is_selected(id, (0, row)) {
                let duration = durations.get(row as usize).map_or(0, |duration| duration.unsigned_abs());
                let times = (content.rows[row as usize].start, duration);
                rows[row as usize] = draft.add_row(content.shared_of[row as usize], id, times, content.body(row))?;
            }
        }
    }
    Ok(rows)
}

/// The block rows of each resource and scope.
struct BlockSharedRows {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl BlockSharedRows {
    fn new(content: &HeadContent, rows: &[u32]) -> Self {
        let entries = || content.shared_of.iter().zip(rows).filter(|(_, row)| **row != DROPPED_ROW);
        let mut starts = vec![0u32; content.shared.len() + 1];
        entries().for_each(|(shared, _)| starts[*shared as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut sharing = vec![0; entries().count()];
        for (shared, row) in entries() {
            let at = &mut next[*shared as usize];
            sharing[*at as usize] = *row;
            *at += 1;
        }
        Self { starts, rows: sharing }
    }
}

/// Maps entries of a column to rows of the block.
enum BlockRowMap<'a> {
    Own(&'a [u32]),
    Shared(&'a BlockSharedRows),
}

impl BlockRowMap<'_> {
    /// Rows by value: `pairs` are entries with the numbers of their values, which are below `values`.
    fn group(&self, pairs: impl Iterator<Item = (u32, u32)>, values: usize) -> ValueRows {
        let (mut of_pairs, row_count) = (Vec::with_capacity(pairs.size_hint().0), self.row_count());
        for (entry, number) in pairs {
            self.each(entry, |row| of_pairs.push((row, number)));
        }
        ValueRows::group(of_pairs, row_count, values)
    }

    /// Upper bound of the number of rows.
    fn row_count(&self) -> usize {
        match self {
            Self::Own(rows) => rows.len(),
            Self::Shared(sharing) => sharing.rows.len(),
        }
    }

    fn each(&self, entry: u32, mut each: impl FnMut(u32)) {
        match self {
            Self::Own(rows) => {
                if let Some(row) = Some(rows[entry as usize]).filter(|row| *row != DROPPED_ROW) {
                    each(row);
                }
            }
            Self::Shared(sharing) => {
                let (start, end) = (sharing.starts[entry as usize], sharing.starts[entry as usize + 1]);
                sharing.rows[start as usize..end as usize].iter().copied().for_each(each);
            }
        }
    }

    fn map_entries(&self, entries: &[u32]) -> Vec<u32> {
        let mut rows = Vec::new();
        entries.iter().for_each(|entry| self.each(*entry, |row| rows.push(row)));
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}

fn write_column(
    field: &mut FieldWriter<'_>,
    column: &HeadColumn,
    rows: &BlockRowMap<'_>,
) -> Result<(), SpanStoreError> {
    field.write_incomparable(&rows.map_entries(&column.incomparable))?;
    field.write_not_single(&rows.map_entries(&column.not_single))?;
    write_texts(field, column, rows)?;
    let ints = column.ints.entries.iter().zip(&column.ints.values);
    write_numbers(field, rows, AtomKind::Int, ints.map(|(entry, value)| (Atom::Int(*value), *entry)))?;
    let floats = column.floats.entries.iter().zip(&column.floats.values);
    write_numbers(field, rows, AtomKind::Float, floats.map(|(entry, value)| (Atom::Float(*value), *entry)))?;
    let bools = column.bools.entries.iter().zip(&column.bools.values).map(|(entry, value)| (*entry, u32::from(*value)));
    let found = rows.group(bools, 2);
    for flag in [0, 1] {
        field.write_value(AtomKind::Bool, &[flag], found.rows(u32::from(flag)))?;
    }
    Ok(())
}

fn write_texts(field: &mut FieldWriter<'_>, column: &HeadColumn, rows: &BlockRowMap<'_>) -> Result<(), SpanStoreError> {
    let texts = &column.dictionary;
    let found = rows.group(column.texts.entries.iter().copied().zip(column.texts.values.iter().copied()), texts.len());
    let bytes = |number: u32| texts.text(number).as_bytes();
    let shared = (1..texts.len() as u32)
        .fold(usize::MAX, |shared, number| shared.min(common_prefix_len(bytes(0), bytes(number))));
    let mut order: Vec<(u64, u32)> = (0..texts.len() as u32)
        .map(|number| (sort_prefix(bytes(number).get(shared..).unwrap_or_default()), number))
        .collect();
    order.sort_unstable_by(|(one, first), (other, second)| {
        one.cmp(other).then_with(|| texts.text(*first).cmp(texts.text(*second)))
    });
    for (_, number) in order {
        field.write_value(AtomKind::Text, texts.text(number).as_bytes(), found.rows(number))?;
    }
    Ok(())
}

/// Length of the common prefix.
fn common_prefix_len(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// The first bytes as a number with the same order: after the common prefix, most texts differ there.
fn sort_prefix(bytes: &[u8]) -> u64 {
    let mut first = [0; 8];
    let len = bytes.len().min(8);
    first[..len].copy_from_slice(&bytes[..len]);
    u64::from_be_bytes(first)
}

fn write_numbers<'a>(
    field: &mut FieldWriter<'_>,
    rows: &BlockRowMap<'_>,
    form: AtomKind,
    pairs: impl Iterator<Item = (Atom<'a>, u32)>,
) -> Result<(), SpanStoreError> {
    let mut pairs: Vec<(u64, u32)> = pairs.map(|(value, entry)| (value.ordered(), entry)).collect();
    // Stable: fast if there are few distinct values.
    pairs.sort_by_key(|(value, _)| *value);
    let (mut values, mut numbered) = (Vec::new(), Vec::with_capacity(pairs.len()));
    for (value, entry) in pairs {
        if values.last() != Some(&value) {
            values.push(value);
        }
        numbered.push((entry, values.len() as u32 - 1));
    }
    let found = rows.group(numbered.into_iter(), values.len());
    for (number, value) in (0..).zip(values) {
        field.write_value(form, &value.to_be_bytes(), found.rows(number))?;
    }
    Ok(())
}
