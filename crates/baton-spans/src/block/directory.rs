//! Directory of the index file of a block.

use super::{
    file::{BlockFileReader, FileExtent},
    frames::FrameDirectory,
    numbers::NumberColumn,
    traces::TraceDirectory,
};
use crate::index::{AtomKind, ValueLocation};
use baton_span_ports::SpanStoreError;
use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};

/// Location of a posting list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PostingExtent(pub(super) FileExtent);

impl PostingExtent {
    /// Reads the rows, all of which must be below `rows`.
    pub(super) fn read(self, source: &BlockFileReader, rows: u32) -> Result<RoaringBitmap, SpanStoreError> {
        let bytes = source.read(self.0)?;
        match RoaringBitmap::deserialize_from(bytes.as_slice()) {
            Ok(found) if found.max().is_none_or(|row| row < rows) => Ok(found),
            _ => Err(source.corrupt("a list of rows cannot be read")),
        }
    }
}

/// Directory entry of one key in one location.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FieldEntry {
    pub(super) place: ValueLocation,
    pub(super) key: String,
    /// Rows with any value.
    pub(super) present: PostingExtent,
    /// Number of these rows.
    pub(super) rows: u32,
    /// Rows with a value that cannot be compared.
    pub(super) odd: Option<PostingExtent>,
    /// Values, by type.
    pub(super) forms: Vec<FieldValuesEntry>,
}

/// Directory entry of the values of one type of a field.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct FieldValuesEntry {
    pub(super) form: AtomKind,
    /// Number of distinct values.
    pub(super) values: u32,
    /// Number of chunks.
    pub(super) chunks: u32,
    pub(super) fences: FileExtent,
}

/// Directory of the index file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct BlockDirectory {
    /// Sorted by location and key.
    pub(super) fields: Vec<FieldEntry>,
    /// Rows with an unindexed key.
    pub(super) unlisted: Option<PostingExtent>,
    pub(super) traces: TraceDirectory,
    /// Resources and scopes, in the index file.
    pub(super) shared: FrameDirectory,
    /// The spans, in the raw file.
    pub(super) raw: FrameDirectory,
}

/// Row-level data, sufficient to count rows without reading their spans.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RowColumns {
    /// Start of each span.
    pub(super) starts: NumberColumn,
    /// Duration in nanoseconds.
    pub(super) durations: NumberColumn,
    /// Hash of the span id: equal ids have equal hashes.
    pub(super) marks: NumberColumn,
    /// By field number, the rows that do not have exactly one scalar value; fields without such rows are left out.
    pub(super) several: Vec<(u32, PostingExtent)>,
    /// Bloom filter over the trace ids; appended, and absent in older blocks.
    #[serde(skip)]
    pub(super) bloom_filter: Option<FileExtent>,
    /// Code of the parent of each span within its trace; appended after the Bloom filter, and absent in older blocks.
    #[serde(skip)]
    pub(super) parents: Option<NumberColumn>,
}

impl RowColumns {
    /// Reads and checks the row-level data of a block.
    pub(super) fn read(
        source: &BlockFileReader,
        at: FileExtent,
        rows: u32,
        fields: usize,
    ) -> Result<Self, SpanStoreError> {
        let bytes = source.read(at)?;
        let unreadable = |_| source.corrupt("the row data cannot be read");
        let (mut known, rest): (Self, _) = postcard::take_from_bytes(&bytes).map_err(unreadable)?;
        if !rest.is_empty() {
            let (bloom_filter, rest) = postcard::take_from_bytes(rest).map_err(unreadable)?;
            known.bloom_filter = Some(bloom_filter);
            if !rest.is_empty() {
                known.parents = Some(postcard::from_bytes(rest).map_err(unreadable)?);
            }
        }
        let columns = [&known.starts, &known.durations, &known.marks];
        let fits = columns.into_iter().chain(&known.parents).all(|numbers| numbers.is_consistent(source, rows))
            && known.several.is_sorted_by(|(one, _), (next, _)| one < next)
            && known.several.last().is_none_or(|(field, _)| (*field as usize) < fields);
        if fits { Ok(known) } else { Err(source.corrupt("the row data is inconsistent")) }
    }

    /// Encodes the row-level data.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, postcard::Error> {
        let bytes = postcard::to_stdvec(self)?;
        let Some(bloom_filter) = &self.bloom_filter else { return Ok(bytes) };
        let bytes = postcard::to_extend(bloom_filter, bytes)?;
        match &self.parents {
            Some(parents) => postcard::to_extend(parents, bytes),
            None => Ok(bytes),
        }
    }

    /// Rows of a field that do not have exactly one scalar value.
    pub(super) fn not_single_valued(&self, field: usize) -> Option<PostingExtent> {
        let found = self.several.binary_search_by_key(&field, |(number, _)| *number as usize).ok()?;
        self.several.get(found).map(|(_, rows)| *rows)
    }
}

/// Fence index: separators between chunks of values, loaded on first use and kept while the block is open.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct FenceIndex {
    pub(super) chunks: Vec<FileExtent>,
    /// End of each separator.
    pub(super) ends: Vec<u32>,
    /// Each separator is greater than every value before its chunk and not greater than any value in it.
    pub(super) separators: Vec<u8>,
}

impl FenceIndex {
    /// Adds a chunk that begins with `first`; the previous one ended with `before`.
    pub(super) fn push(&mut self, before: Option<&[u8]>, first: &[u8], at: FileExtent) {
        let common =
            before.map_or(0, |before| before.iter().zip(first).take_while(|(one, other)| one == other).count());
        let needed = if before.is_some() { (common + 1).min(first.len()) } else { 0 };
        self.separators.extend_from_slice(&first[..needed]);
        self.ends.push(self.separators.len() as u32);
        self.chunks.push(at);
    }

    /// Reads the fence index of a field.
    pub(super) fn read(source: &BlockFileReader, at: FileExtent) -> Result<Self, SpanStoreError> {
        let bytes = source.read(at)?;
        let fences: Self =
            postcard::from_bytes(&bytes).map_err(|_| source.corrupt("the fence index of a field cannot be read"))?;
        let fits = fences.ends.len() == fences.chunks.len()
            && fences.ends.is_sorted()
            && fences.ends.last().is_none_or(|end| *end as usize == fences.separators.len())
            && fences.chunks.iter().all(|chunk| source.contains(*chunk));
        if fits { Ok(fences) } else { Err(source.corrupt("the fence index of a field is inconsistent")) }
    }

    fn separator(&self, chunk: usize) -> &[u8] {
        let start = if chunk == 0 { 0 } else { self.ends[chunk - 1] as usize };
        &self.separators[start..self.ends[chunk] as usize]
    }

    /// The only chunk that can hold a value.
    pub(super) fn chunk_of(&self, value: &[u8]) -> usize {
        let (mut low, mut high) = (0, self.chunks.len());
        while low < high {
            let middle = low.midpoint(high);
            if self.separator(middle) <= value {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.saturating_sub(1)
    }

    /// Number of chunks that can hold a value of the inclusive range.
    pub(super) fn count_chunks(&self, first: Option<&[u8]>, last: Option<&[u8]>) -> usize {
        let from = first.map_or(0, |first| self.chunk_of(first));
        let to = last.map_or(self.chunks.len(), |last| self.chunk_of(last) + 1);
        to.min(self.chunks.len()).saturating_sub(from)
    }
}
