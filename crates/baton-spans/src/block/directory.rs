//! Directory of the index file of a block.

use super::{
    file::{At, Source},
    frames::Frames,
    numbers::Numbers,
    traces::TracesAt,
};
use crate::index::{Form, Place};
use baton_ports::SpanStoreError;
use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};

/// Location of a posting list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RowsAt(pub(super) At);

impl RowsAt {
    /// Reads the rows, all of which must be below `rows`.
    pub(super) fn read(self, source: &Source, rows: u32) -> Result<RoaringBitmap, SpanStoreError> {
        let bytes = source.read(self.0)?;
        match RoaringBitmap::deserialize_from(bytes.as_slice()) {
            Ok(found) if found.max().is_none_or(|row| row < rows) => Ok(found),
            _ => Err(source.corrupt("a list of rows cannot be read")),
        }
    }
}

/// Directory entry of one key in one location.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FieldAt {
    pub(super) place: Place,
    pub(super) key: String,
    /// Rows with any value.
    pub(super) present: RowsAt,
    /// Number of these rows.
    pub(super) rows: u32,
    /// Rows with a value that cannot be compared.
    pub(super) odd: Option<RowsAt>,
    /// Values, by type.
    pub(super) forms: Vec<FormAt>,
}

/// Directory entry of the values of one type of a field.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct FormAt {
    pub(super) form: Form,
    /// Number of distinct values.
    pub(super) values: u32,
    /// Number of chunks.
    pub(super) chunks: u32,
    pub(super) fences: At,
}

/// Directory of the index file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Directory {
    /// Sorted by location and key.
    pub(super) fields: Vec<FieldAt>,
    /// Rows with an unindexed key.
    pub(super) unlisted: Option<RowsAt>,
    pub(super) traces: TracesAt,
    /// Resources and scopes, in the index file.
    pub(super) shared: Frames,
    /// The spans, in the raw file.
    pub(super) raw: Frames,
}

/// Row-level data, sufficient to count rows without reading their spans.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RowsKnown {
    /// Start of each span.
    pub(super) starts: Numbers,
    /// Duration in nanoseconds.
    pub(super) durations: Numbers,
    /// Hash of the span id: equal ids have equal hashes.
    pub(super) marks: Numbers,
    /// By field number, the rows that do not have exactly one scalar value; fields without such rows are left out.
    pub(super) several: Vec<(u32, RowsAt)>,
    /// Bloom filter over the trace ids; appended, and absent in older blocks.
    #[serde(skip)]
    pub(super) sieve: Option<At>,
}

impl RowsKnown {
    /// Reads and checks the row-level data of a block.
    pub(super) fn read(source: &Source, at: At, rows: u32, fields: usize) -> Result<Self, SpanStoreError> {
        let bytes = source.read(at)?;
        let unreadable = |_| source.corrupt("the row data cannot be read");
        let (mut known, rest): (Self, _) = postcard::take_from_bytes(&bytes).map_err(unreadable)?;
        if !rest.is_empty() {
            known.sieve = Some(postcard::from_bytes(rest).map_err(unreadable)?);
        }
        let fits = [&known.starts, &known.durations, &known.marks].iter().all(|numbers| numbers.fit(source, rows))
            && known.several.is_sorted_by(|(one, _), (next, _)| one < next)
            && known.several.last().is_none_or(|(field, _)| (*field as usize) < fields);
        if fits { Ok(known) } else { Err(source.corrupt("the row data is inconsistent")) }
    }

    /// Encodes the row-level data.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, postcard::Error> {
        let bytes = postcard::to_stdvec(self)?;
        match self.sieve {
            Some(sieve) => postcard::to_extend(&sieve, bytes),
            None => Ok(bytes),
        }
    }

    /// Rows of a field that do not have exactly one scalar value.
    pub(super) fn several(&self, field: usize) -> Option<RowsAt> {
        let found = self.several.binary_search_by_key(&field, |(number, _)| *number as usize).ok()?;
        self.several.get(found).map(|(_, rows)| *rows)
    }
}

/// Fence index: separators between chunks of values, loaded on first use and kept while the block is open.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Fences {
    pub(super) chunks: Vec<At>,
    /// End of each separator.
    pub(super) ends: Vec<u32>,
    /// Each separator is greater than every value before its chunk and not greater than any value in it.
    pub(super) separators: Vec<u8>,
}

impl Fences {
    /// Adds a chunk that begins with `first`; the previous one ended with `before`.
    pub(super) fn push(&mut self, before: Option<&[u8]>, first: &[u8], at: At) {
        let common =
            before.map_or(0, |before| before.iter().zip(first).take_while(|(one, other)| one == other).count());
        let needed = if before.is_some() { (common + 1).min(first.len()) } else { 0 };
        self.separators.extend_from_slice(&first[..needed]);
        self.ends.push(self.separators.len() as u32);
        self.chunks.push(at);
    }

    /// Reads the fence index of a field.
    pub(super) fn read(source: &Source, at: At) -> Result<Self, SpanStoreError> {
        let bytes = source.read(at)?;
        let fences: Self =
            postcard::from_bytes(&bytes).map_err(|_| source.corrupt("the fence index of a field cannot be read"))?;
        let fits = fences.ends.len() == fences.chunks.len()
            && fences.ends.is_sorted()
            && fences.ends.last().is_none_or(|end| *end as usize == fences.separators.len())
            && fences.chunks.iter().all(|chunk| source.has(*chunk));
        if fits { Ok(fences) } else { Err(source.corrupt("the fence index of a field is inconsistent")) }
    }

    fn separator(&self, chunk: usize) -> &[u8] {
        let start = if chunk == 0 { 0 } else { self.ends[chunk - 1] as usize };
        &self.separators[start..self.ends[chunk] as usize]
    }

    /// The only chunk that can hold a value.
    pub(super) fn holding(&self, value: &[u8]) -> usize {
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
    pub(super) fn between(&self, first: Option<&[u8]>, last: Option<&[u8]>) -> usize {
        let from = first.map_or(0, |first| self.holding(first));
        let to = last.map_or(self.chunks.len(), |last| self.holding(last) + 1);
        to.min(self.chunks.len()).saturating_sub(from)
    }
}
