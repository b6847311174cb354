//! Merges blocks into one without decoding their spans.

use super::{
    BlockInputs, SpanBlock,
    block_writer::{BlockWriter, write_block},
    deduplicator::SpanDeduplicator,
    directory::{FieldEntry, PostingExtent},
    open::FrameCache,
    values::ValueCursor,
    write::DROPPED_ROW,
    write_field::FieldWriter,
};
use crate::{
    codec,
    index::{AtomKind, MAX_BLOCK_FIELDS, ValueLocation},
    segment::TracePart,
};
use baton_span_ports::SpanStoreError;
use baton_types::{SpanId, TraceId};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    hash::{BuildHasher as _, RandomState},
    path::{Path, PathBuf},
    sync::Arc,
};

/// Compression level of merged blocks.
const COMPRESSION_LEVEL: i32 = 1;

/// Spans of traces that are split across blocks are read out of order: number of cached frames per block.
const CACHED_FRAMES: usize = 8;

/// Writes blocks as one, without duplicates, into a directory below `parent` whose name is derived from theirs.
///
/// The new block replaces them and their inputs; they are not deleted.
pub(crate) fn merge(parent: &Path, blocks: &[Arc<SpanBlock>]) -> Result<SpanBlock, SpanStoreError> {
    let class = blocks.first().map(|block| block.manifest.class);
    let Some(class) = class.filter(|class| blocks.iter().all(|block| block.manifest.class == *class)) else {
        return Err(SpanStoreError::Unavailable("only blocks of one class can be merged".to_owned()));
    };
    write_block(&merged_directory(parent, blocks), COMPRESSION_LEVEL, class, merged_inputs(blocks), |draft| {
        let rows = write_rows(draft, blocks)?;
        write_fields(draft, blocks, &rows)
    })
}

/// The directory that these blocks are merged into.
pub(crate) fn merged_directory(parent: &Path, blocks: &[Arc<SpanBlock>]) -> PathBuf {
    let names: Vec<&str> = blocks.iter().map(|block| block.name()).collect();
    parent.join(format!("merged-{}", SpanId::derive(&names)))
}

fn merged_inputs(blocks: &[Arc<SpanBlock>]) -> BlockInputs {
    let mut covers = BlockInputs::default();
    for block in blocks {
        covers.log.extend(&block.inputs().log);
        covers.blocks.push(block.name().to_owned());
        for (name, position) in &block.inputs().marks {
            let mark = covers.marks.entry(name.clone()).or_default();
            *mark = (*mark).max(*position);
        }
    }
    covers.log.sort_unstable();
    covers.log.dedup();
    covers
}

/// The part of a trace in one of the blocks.
struct MergePart {
    id: TraceId,
    start: u64,
    end: u64,
    block: u32,
    ordinal: u32,
}

impl MergePart {
    /// Passes its encoded rows with their row numbers to the callback.
    fn each_row(
        &self,
        blocks: &[Arc<SpanBlock>],
        caches: &[FrameCache],
        mut each: impl FnMut(u32, u32, SpanId, &[u8]) -> Result<(), SpanStoreError>,
    ) -> Result<(), SpanStoreError> {
        let (block, cache) = (&blocks[self.block as usize], &caches[self.block as usize]);
        let mut rows = block.traces.rows(self.ordinal);
        block.each_row(cache, rows.clone(), |shared, id, body| match rows.next() {
            Some(row) => each(row, shared, id, body),
            None => Ok(()),
        })?;
        Ok(())
    }
}

/// Writes the spans, newest trace first; returns the new row of every row of each block.
fn write_rows(draft: &mut BlockWriter, blocks: &[Arc<SpanBlock>]) -> Result<Vec<Vec<u32>>, SpanStoreError> {
    let mut pieces = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        for ordinal in 0..block.manifest.traces {
            let TracePart { id, start, end } = block.traces.part(&block.index, ordinal)?;
            pieces.push(MergePart { id, start, end, block: number as u32, ordinal });
        }
    }
    pieces.sort_unstable_by_key(|piece| (piece.id, piece.block));
    let mut traces: Vec<(Reverse<u64>, TraceId, u32, u32)> = Vec::new();
    let mut at = 0;
    for same in pieces.chunk_by(|one, other| one.id == other.id) {
        let start = same.iter().map(|piece| piece.start).min().unwrap_or(0);
        traces.push((Reverse(start), same[0].id, at, same.len() as u32));
        at += same.len() as u32;
    }
    traces.sort_unstable();
    let mut rows: Vec<Vec<u32>> = blocks.iter().map(|block| vec![DROPPED_ROW; block.manifest.rows as usize]).collect();
    let caches: Vec<FrameCache> = blocks.iter().map(|_| FrameCache::new(CACHED_FRAMES)).collect();
    let mut sharing = SharedNumberMap::new(blocks);
    let mut counting = SpanDeduplicator::default();
    for (Reverse(start), id, first, len) in traces {
        let pieces = &pieces[first as usize..(first + len) as usize];
        let end = pieces.iter().map(|piece| piece.end).max().unwrap_or(start);
        draft.begin_trace(TracePart { id, start, end })?;
        // A single block has no duplicates.
        let single = len == 1;
        counting.clear();
        for piece in pieces.iter().filter(|_| !single) {
            piece.each_row(blocks, &caches, |row, _, id, body| counting.register(id, body, (piece.block, row)))?;
        }
        for piece in pieces {
            let number = piece.block as usize;
            piece.each_row(blocks, &caches, |row, shared, id, body| {
                if single || counting.is_selected(id, (piece.block, row)) {
                    let shared = sharing.number(draft, blocks, number, shared)?;
                    let (start, end) = codec::read_times(body)?;
                    rows[number][row as usize] = draft.add_row(shared, id, (start, end.saturating_sub(start)), body)?;
                }
                Ok(())
            })?;
        }
    }
    Ok(rows)
}

/// New numbers of resources and scopes; equal ones get the same number.
struct SharedNumberMap {
    numbers: Vec<Vec<u32>>,
    by_hash: HashMap<(u64, u64), u32>,
    /// Randomly seeded, so that collisions cannot be provoked.
    states: (RandomState, RandomState),
}

impl SharedNumberMap {
    fn new(blocks: &[Arc<SpanBlock>]) -> Self {
        Self {
            numbers: blocks.iter().map(|block| vec![DROPPED_ROW; block.shared_len() as usize]).collect(),
            by_hash: HashMap::new(),
            states: (RandomState::new(), RandomState::new()),
        }
    }

    fn number(
        &mut self,
        draft: &mut BlockWriter,
        blocks: &[Arc<SpanBlock>],
        block: usize,
        shared: u32,
    ) -> Result<u32, SpanStoreError> {
        let known = self.numbers[block].get(shared as usize).copied();
        let known = known.ok_or_else(|| blocks[block].raw.corrupt("the resource and scope of a span are missing"))?;
        if known != DROPPED_ROW {
            return Ok(known);
        }
        let form = blocks[block].shared_form(shared)?;
        let hash = (self.states.0.hash_one(&form), self.states.1.hash_one(&form));
        let number = match self.by_hash.get(&hash) {
            Some(number) => *number,
            None => draft.add_shared(&form)?,
        };
        self.by_hash.insert(hash, number);
        self.numbers[block][shared as usize] = number;
        Ok(number)
    }
}

/// The same field in several blocks: block number, field number, entry.
type MergeFieldParts<'a> = Vec<(usize, usize, &'a FieldEntry)>;

fn write_fields(draft: &mut BlockWriter, blocks: &[Arc<SpanBlock>], rows: &[Vec<u32>]) -> Result<(), SpanStoreError> {
    let mut fields: BTreeMap<(ValueLocation, &str), MergeFieldParts<'_>> = BTreeMap::new();
    for (number, block) in blocks.iter().enumerate() {
        for (at, field) in block.directory.fields.iter().enumerate() {
            fields.entry((field.place, &field.key)).or_default().push((number, at, field));
        }
    }
    let mut fields: Vec<_> = fields.into_iter().collect();
    let mut unlisted = Vec::new();
    if fields.len() > MAX_BLOCK_FIELDS {
        let spans = |same: &MergeFieldParts<'_>| same.iter().map(|(_, _, field)| u64::from(field.rows)).sum::<u64>();
        // Intrinsics are always indexed, because their lookup ignores unindexed keys.
        fields.sort_by_key(|((location, _), same)| (location.scope().is_some(), Reverse(spans(same))));
        for (_, same) in fields.split_off(MAX_BLOCK_FIELDS) {
            for (number, _, field) in same {
                add_rows(&mut unlisted, &blocks[number], Some(field.present), &rows[number])?;
            }
        }
    }
    for ((location, key), same) in fields {
        draft.write_field(location, key, |field| merge_field(field, blocks, rows, &same))?;
    }
    for (block, rows) in blocks.iter().zip(rows) {
        add_rows(&mut unlisted, block, block.directory.unindexed, rows)?;
    }
    draft.write_unindexed(sort_and_dedup(&mut unlisted))
}

fn merge_field(
    writer: &mut FieldWriter<'_>,
    blocks: &[Arc<SpanBlock>],
    rows: &[Vec<u32>],
    same: &MergeFieldParts<'_>,
) -> Result<(), SpanStoreError> {
    let (mut odd, mut several) = (Vec::new(), Vec::new());
    for (number, at, field) in same {
        let (block, rows) = (&blocks[*number], &rows[*number]);
        add_rows(&mut odd, block, field.odd, rows)?;
        // Without row-level data, every row of the field must be assumed to have several values.
        let unclear = block.row_columns.as_ref().map_or(Some(field.present), |known| known.not_single_valued(*at));
        add_rows(&mut several, block, unclear, rows)?;
    }
    writer.write_incomparable(sort_and_dedup(&mut odd))?;
    writer.write_not_single(sort_and_dedup(&mut several))?;
    let mut found = Vec::new();
    for form in AtomKind::ALL {
        let mut open = Vec::new();
        for (number, at, field) in same {
            let block = &blocks[*number];
            for of_form in field.forms.iter().filter(|of_form| of_form.form == form) {
                let mut values = ValueCursor::new(&block.index, block.fences(*at, of_form)?, block.manifest.rows);
                if values.advance()? {
                    open.push((*number, values));
                }
            }
        }
        while let Some(min) = open.iter().map(|(_, values)| values.value()).min() {
            let min = min.to_vec();
            found.clear();
            let mut at = 0;
            while let Some((number, values)) = open.get_mut(at) {
                if values.value() != min {
                    at += 1;
                    continue;
                }
                let rows = &rows[*number];
                values.each_row(|row| found.extend(Some(rows[row as usize]).filter(|row| *row != DROPPED_ROW)))?;
                if values.advance()? {
                    at += 1;
                } else {
                    open.remove(at);
                }
            }
            writer.write_value(form, &min, sort_and_dedup(&mut found))?;
        }
    }
    Ok(())
}

/// Sorts and deduplicates the rows.
fn sort_and_dedup(rows: &mut Vec<u32>) -> &[u32] {
    // Rows of one block mostly stay in order: the run-detecting stable sort has little to do.
    rows.sort();
    rows.dedup();
    rows
}

fn add_rows(
    into: &mut Vec<u32>,
    block: &SpanBlock,
    at: Option<PostingExtent>,
    rows: &[u32],
) -> Result<(), SpanStoreError> {
    if let Some(at) = at {
        let found = at.read(&block.index, block.manifest.rows)?;
        into.extend(found.iter().map(|row| rows[row as usize]).filter(|row| *row != DROPPED_ROW));
    }
    Ok(())
}
