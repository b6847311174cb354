//! Writes a head as a block.

use super::{
    Block, Covers,
    counting::Counting,
    draft::{Draft, drafted},
    write_field::FieldWriter,
};
use crate::{
    codec,
    head::{Column, Content, Head},
    index::{Atom, Form},
    segment::TracePart,
};
use baton_ports::SpanStoreError;
use std::{cmp::Reverse, path::Path};

/// Blocks written from a head are merged soon: fast compression is preferred.
const LEVEL: i32 = 1;

/// Sentinel for a row that is not written, because it is a duplicate.
pub(super) const DROPPED: u32 = u32::MAX;

/// Writes the head as the directory `dir`, without duplicates; the block is durable when this returns.
pub(crate) fn write(dir: &Path, head: &Head, covers: Covers) -> Result<Block, SpanStoreError> {
    let content = head.content();
    drafted(dir, LEVEL, head.class(), covers, |draft| {
        let mut form = Vec::new();
        for (resource, scope) in &content.shared {
            form.clear();
            codec::append(&mut form, &(&**resource, &**scope))?;
            draft.share(&form)?;
        }
        let rows = write_rows(draft, &content)?;
        let sharing = Sharing::new(&content, &rows);
        let own = content.own.columns.iter().map(|column| (column, Rows::Own(&rows)));
        let common = content.common.columns.iter().map(|column| (column, Rows::Shared(&sharing)));
        let mut columns: Vec<_> = own.chain(common).collect();
        columns.sort_by(|(one, _), (other, _)| (one.place, &one.key).cmp(&(other.place, &other.key)));
        for (column, rows) in columns {
            draft.field(column.place, &column.key, |field| write_column(field, column, &rows))?;
        }
        let mut unlisted = Rows::Own(&rows).of(&content.own.unlisted);
        unlisted.extend(Rows::Shared(&sharing).of(&content.common.unlisted));
        unlisted.sort_unstable();
        unlisted.dedup();
        draft.unlisted(&unlisted)
    })
}

/// Writes the spans, newest trace first; returns the block row of every head row.
fn write_rows(draft: &mut Draft, content: &Content) -> Result<Vec<u32>, SpanStoreError> {
    let mut ordinals: Vec<u32> = (0..content.traces.len() as u32).collect();
    ordinals.sort_unstable_by_key(|ordinal| {
        let trace = &content.traces[*ordinal as usize];
        (Reverse(trace.start), trace.id)
    });
    let mut rows = vec![DROPPED; content.rows.len()];
    let mut counting = Counting::default();
    for ordinal in ordinals {
        let trace = &content.traces[ordinal as usize];
        draft.begin_trace(TracePart { id: trace.id, start: trace.start, end: trace.end })?;
        let single = trace.first == trace.last;
        counting.clear();
        for row in content.rows_of(ordinal).filter(|_| !single) {
            counting.hear(content.rows[row as usize].id, content.body(row), (0, row))?;
        }
        for row in content.rows_of(ordinal) {
            let id = content.rows[row as usize].id;
            if single || counting.counts(id, (0, row)) {
                let times = (content.rows[row as usize].start, content.duration(row));
                rows[row as usize] = draft.row(content.shared_of[row as usize], id, times, content.body(row))?;
            }
        }
    }
    Ok(rows)
}

/// The block rows of each resource and scope.
struct Sharing {
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Sharing {
    fn new(content: &Content, rows: &[u32]) -> Self {
        let kept = || content.shared_of.iter().zip(rows).filter(|(_, row)| **row != DROPPED);
        let mut starts = vec![0u32; content.shared.len() + 1];
        kept().for_each(|(shared, _)| starts[*shared as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut sharing = vec![0; kept().count()];
        for (shared, row) in kept() {
            let at = &mut next[*shared as usize];
            sharing[*at as usize] = *row;
            *at += 1;
        }
        Self { starts, rows: sharing }
    }
}

/// Maps entries of a column to rows of the block.
enum Rows<'a> {
    Own(&'a [u32]),
    Shared(&'a Sharing),
}

impl Rows<'_> {
    fn push(&self, into: &mut Vec<u32>, entry: u32) {
        match self {
            Self::Own(rows) => into.extend(Some(rows[entry as usize]).filter(|row| *row != DROPPED)),
            Self::Shared(sharing) => {
                let (start, end) = (sharing.starts[entry as usize], sharing.starts[entry as usize + 1]);
                into.extend_from_slice(&sharing.rows[start as usize..end as usize]);
            }
        }
    }

    fn of(&self, entries: &[u32]) -> Vec<u32> {
        let mut rows = Vec::new();
        entries.iter().for_each(|entry| self.push(&mut rows, *entry));
        rows.sort_unstable();
        rows.dedup();
        rows
    }
}

fn write_column(field: &mut FieldWriter<'_>, column: &Column, rows: &Rows<'_>) -> Result<(), SpanStoreError> {
    field.odd(&rows.of(&column.odd))?;
    field.several(&rows.of(&column.several))?;
    write_texts(field, column, rows)?;
    let ints = column.ints.entries.iter().zip(&column.ints.values);
    write_numbers(field, rows, Form::Int, ints.map(|(entry, value)| (Atom::Int(*value), *entry)))?;
    let floats = column.floats.entries.iter().zip(&column.floats.values);
    write_numbers(field, rows, Form::Float, floats.map(|(entry, value)| (Atom::Float(*value), *entry)))?;
    for flag in [false, true] {
        let pairs = column.bools.entries.iter().zip(&column.bools.values);
        let entries: Vec<u32> = pairs.filter(|(_, value)| **value == flag).map(|(entry, _)| *entry).collect();
        field.value(Form::Bool, &[u8::from(flag)], &rows.of(&entries))?;
    }
    Ok(())
}

fn write_texts(field: &mut FieldWriter<'_>, column: &Column, rows: &Rows<'_>) -> Result<(), SpanStoreError> {
    let texts = &column.dictionary;
    let mut starts = vec![0u32; texts.len() + 1];
    column.texts.values.iter().for_each(|number| starts[*number as usize + 1] += 1);
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut next = starts.clone();
    let mut entries = vec![0; column.texts.entries.len()];
    for (entry, number) in column.texts.entries.iter().zip(&column.texts.values) {
        let at = &mut next[*number as usize];
        entries[*at as usize] = *entry;
        *at += 1;
    }
    let bytes = |number: u32| texts.text(number).as_bytes();
    let shared = (1..texts.len() as u32).fold(usize::MAX, |shared, number| shared.min(common(bytes(0), bytes(number))));
    let mut order: Vec<(u64, u32)> = (0..texts.len() as u32)
        .map(|number| (beginning(bytes(number).get(shared..).unwrap_or_default()), number))
        .collect();
    order.sort_unstable_by(|(one, first), (other, second)| {
        one.cmp(other).then_with(|| texts.text(*first).cmp(texts.text(*second)))
    });
    let mut found = Vec::new();
    for (_, number) in order {
        found.clear();
        let (start, end) = (starts[number as usize] as usize, starts[number as usize + 1] as usize);
        entries[start..end].iter().for_each(|entry| rows.push(&mut found, *entry));
        found.sort_unstable();
        found.dedup();
        field.value(Form::Text, texts.text(number).as_bytes(), &found)?;
    }
    Ok(())
}

/// Length of the common prefix.
fn common(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// The first bytes as a number with the same order: after the common prefix, most texts differ there.
fn beginning(bytes: &[u8]) -> u64 {
    let mut first = [0; 8];
    let len = bytes.len().min(8);
    first[..len].copy_from_slice(&bytes[..len]);
    u64::from_be_bytes(first)
}

fn write_numbers<'a>(
    field: &mut FieldWriter<'_>,
    rows: &Rows<'_>,
    form: Form,
    pairs: impl Iterator<Item = (Atom<'a>, u32)>,
) -> Result<(), SpanStoreError> {
    let mut pairs: Vec<(u64, u32)> = pairs.map(|(value, entry)| (value.ordered(), entry)).collect();
    pairs.sort_unstable();
    let mut found = Vec::new();
    for same in pairs.chunk_by(|(one, _), (other, _)| one == other) {
        found.clear();
        same.iter().for_each(|(_, entry)| rows.push(&mut found, *entry));
        found.sort_unstable();
        found.dedup();
        if let Some((value, _)) = same.first() {
            field.value(form, &value.to_be_bytes(), &found)?;
        }
    }
    Ok(())
}
