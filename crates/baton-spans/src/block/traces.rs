//! The traces of a block, newest first, and by id.

use super::{
    bloom_filter::BloomFilter,
    file::{BlockFileReader, BlockFileWriter, FileExtent},
    trace_boundaries::TraceBoundaries,
};
use crate::segment::TracePart;
use baton_span_ports::{SpanStoreError, TimeRange};
use baton_types::TraceId;
use parking_lot::Mutex;
use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};
use std::{ops::Range, sync::Arc};

const PART_LEN: usize = 32;
const PARTS_PER_PAGE: usize = 256;
const ID_RECORD_LEN: usize = 20;
const IDS_PER_PAGE: usize = 400;

/// A page of traces, newest first.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct PartPage {
    at: FileExtent,
    /// Start of its first and newest trace.
    newest: u64,
    /// Latest end of its traces.
    end: u64,
}

/// A page of traces, sorted by id.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct IdPage {
    at: FileExtent,
    first: TraceId,
}

/// Locations of the traces.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct TraceDirectory {
    parts: Vec<PartPage>,
    ids: Vec<IdPage>,
    first_rows: FileExtent,
}

/// Writes the traces with the first row of each.
pub(super) fn write_traces(
    out: &mut BlockFileWriter,
    parts: &[TracePart],
    first_rows: &RoaringBitmap,
) -> Result<TraceDirectory, SpanStoreError> {
    let mut part_pages = Vec::new();
    let mut page = Vec::with_capacity(PARTS_PER_PAGE * PART_LEN);
    for stretch in parts.chunks(PARTS_PER_PAGE) {
        page.clear();
        for part in stretch {
            page.extend_from_slice(&part.id.0);
            page.extend_from_slice(&part.start.to_le_bytes());
            page.extend_from_slice(&part.end.to_le_bytes());
        }
        let newest = stretch.first().map_or(0, |part| part.start);
        let end = stretch.iter().map(|part| part.end).max().unwrap_or(0);
        part_pages.push(PartPage { at: out.put(&page)?, newest, end });
    }
    let mut by_id: Vec<(TraceId, u32)> =
        parts.iter().enumerate().map(|(ordinal, part)| (part.id, ordinal as u32)).collect();
    by_id.sort_unstable();
    let mut ids = Vec::new();
    for stretch in by_id.chunks(IDS_PER_PAGE) {
        page.clear();
        for (id, ordinal) in stretch {
            page.extend_from_slice(&id.0);
            page.extend_from_slice(&ordinal.to_le_bytes());
        }
        if let Some((first, _)) = stretch.first() {
            ids.push(IdPage { at: out.put(&page)?, first: *first });
        }
    }
    let mut bytes = Vec::new();
    first_rows.serialize_into(&mut bytes).map_err(|error| SpanStoreError::Unavailable(error.to_string()))?;
    Ok(TraceDirectory { parts: part_pages, ids, first_rows: out.put(&bytes)? })
}

/// The traces of an open block.
pub(super) struct BlockTraces {
    parts: Vec<PartPage>,
    ids: Vec<IdPage>,
    boundaries: TraceBoundaries,
    traces: u32,
    /// `None` in older blocks.
    filter: Option<BloomFilter>,
    /// The last page read.
    last: Mutex<Option<(usize, Arc<Vec<u8>>)>>,
}

impl BlockTraces {
    /// Opens the traces of a block with that many traces and rows.
    pub(super) fn open(
        source: &BlockFileReader,
        at: TraceDirectory,
        filter: Option<FileExtent>,
        (traces, rows): (u32, u32),
    ) -> Result<Self, SpanStoreError> {
        let bytes = source.read(at.first_rows)?;
        let first_rows = RoaringBitmap::deserialize_from(bytes.as_slice())
            .map_err(|_| source.corrupt("the first rows of its traces cannot be read"))?;
        let is_consistent = first_rows.len() == u64::from(traces)
            && first_rows.max().is_none_or(|row| row < rows)
            && first_rows.min().unwrap_or(0) == 0
            && at.parts.len() == (traces as usize).div_ceil(PARTS_PER_PAGE)
            && at.ids.len() == (traces as usize).div_ceil(IDS_PER_PAGE)
            && at.parts.iter().all(|page| (page.at.len as usize) <= PARTS_PER_PAGE * PART_LEN)
            && at.ids.iter().all(|page| (page.at.len as usize) <= IDS_PER_PAGE * ID_RECORD_LEN);
        if !is_consistent {
            return Err(source.corrupt("its trace table is inconsistent"));
        }
        let filter = match filter.map(|at| source.read(at)).transpose() {
            Ok(bytes) => bytes.and_then(|bytes| BloomFilter::read(&bytes)),
            // The filter is optional: lookups work without it.
            Err(SpanStoreError::Corrupt(error)) => {
                tracing::warn!(%error, "the Bloom filter of a block cannot be read; the block is searched without it");
                None
            }
            Err(error) => return Err(error),
        };
        let firsts = TraceBoundaries::new(&first_rows, rows);
        Ok(Self { parts: at.parts, ids: at.ids, boundaries: firsts, traces, filter, last: Mutex::new(None) })
    }

    fn page(&self, source: &BlockFileReader, number: usize) -> Result<Arc<Vec<u8>>, SpanStoreError> {
        if let Some((last, page)) = &*self.last.lock()
            && *last == number
        {
            return Ok(Arc::clone(page));
        }
        let at = self.parts.get(number).ok_or_else(|| source.corrupt("it has no such trace"))?.at;
        let page = Arc::new(source.read(at)?);
        *self.last.lock() = Some((number, Arc::clone(&page)));
        Ok(page)
    }

    /// The trace with that ordinal.
    pub(super) fn part(&self, source: &BlockFileReader, ordinal: u32) -> Result<TracePart, SpanStoreError> {
        let page = self.page(source, ordinal as usize / PARTS_PER_PAGE)?;
        let start = ordinal as usize % PARTS_PER_PAGE * PART_LEN;
        read_part(page.get(start..start + PART_LEN)).ok_or_else(|| source.corrupt("it has no such trace"))
    }

    /// The ordinal of a trace.
    pub(super) fn ordinal(&self, source: &BlockFileReader, id: TraceId) -> Result<Option<u32>, SpanStoreError> {
        if self.filter.as_ref().is_some_and(|filter| !filter.may_contain(id)) {
            return Ok(None);
        }
        let Some(number) = self.ids.partition_point(|page| page.first <= id).checked_sub(1) else { return Ok(None) };
        let page = source.read(self.ids[number].at)?;
        let (records, _) = page.as_chunks::<ID_RECORD_LEN>();
        let found = records.binary_search_by(|record| record[..16].cmp(&id.0));
        Ok(found.ok().and_then(|at| records[at][16..].try_into().ok()).map(u32::from_le_bytes))
    }

    /// Ordinals of the traces that may overlap a time range.
    pub(super) fn window(&self, source: &BlockFileReader, range: TimeRange) -> Result<Range<u32>, SpanStoreError> {
        // The page before the first one that starts early enough may end with traces that do, too.
        let first = self.parts.partition_point(|page| page.newest > range.end).saturating_sub(1);
        let Some(last) = self.parts.iter().rposition(|page| page.end >= range.start) else { return Ok(0..0) };
        if self.traces == 0 || last < first {
            return Ok(0..0);
        }
        let page = self.page(source, first)?;
        let records = page.chunks_exact(PART_LEN).map(|record| read_part(Some(record)));
        let skipped = records.take_while(|part| part.is_some_and(|part| part.start > range.end)).count();
        let start = (first * PARTS_PER_PAGE + skipped) as u32;
        let page = self.page(source, last)?;
        let early = page
            .chunks_exact(PART_LEN)
            .rev()
            .map(|record| read_part(Some(record)))
            .take_while(|part| part.is_some_and(|part| part.end < range.start))
            .count();
        let end = (last * PARTS_PER_PAGE + page.len() / PART_LEN - early) as u32;
        Ok(start.min(end)..end.min(self.traces))
    }

    /// The rows of a trace.
    pub(super) fn rows(&self, ordinal: u32) -> Range<u32> {
        self.boundaries.rows(ordinal)
    }

    /// The rows of the traces with these ordinals.
    pub(super) fn each(&self, ordinals: Range<u32>) -> impl Iterator<Item = (u32, Range<u32>)> {
        (0..).zip(self.boundaries.each()).skip(ordinals.start as usize).take(ordinals.len())
    }

    /// The ordinals of the traces of rows.
    pub(super) fn ordinals_of_rows(&self, rows: &RoaringBitmap) -> RoaringBitmap {
        let mut found = Vec::new();
        for ordinal in rows.iter().filter_map(|row| self.boundaries.ordinal(row)) {
            if found.last() != Some(&ordinal) {
                found.push(ordinal);
            }
        }
        RoaringBitmap::from_sorted_iter(found.iter().copied()).unwrap_or_else(|_| found.into_iter().collect())
    }

    /// The rows of traces.
    pub(super) fn rows_of(&self, ordinals: &RoaringBitmap) -> RoaringBitmap {
        let mut rows = RoaringBitmap::new();
        if ordinals.len() * 64 < u64::from(self.traces) {
            for ordinal in ordinals {
                rows.insert_range(self.rows(ordinal));
            }
            return rows;
        }
        for (ordinal, of_trace) in (0..).zip(self.boundaries.each()) {
            if ordinals.contains(ordinal) {
                rows.insert_range(of_trace);
            }
        }
        rows
    }
}

fn read_part(record: Option<&[u8]>) -> Option<TracePart> {
    let (id, rest) = record?.split_first_chunk::<16>()?;
    let (start, end) = rest.split_first_chunk::<8>()?;
    Some(TracePart {
        id: TraceId(*id),
        start: u64::from_le_bytes(*start),
        end: u64::from_le_bytes(end.try_into().ok()?),
    })
}
