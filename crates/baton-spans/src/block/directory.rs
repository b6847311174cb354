//! Where in the index of a block everything is.

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

/// Where rows are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RowsAt(pub(super) At);

impl RowsAt {
    /// The rows, all below `rows`.
    pub(super) fn read(self, source: &Source, rows: u32) -> Result<RoaringBitmap, SpanStoreError> {
        let bytes = source.read(self.0)?;
        match RoaringBitmap::deserialize_from(bytes.as_slice()) {
            Ok(found) if found.max().is_none_or(|row| row < rows) => Ok(found),
            _ => Err(source.corrupt("a list of rows cannot be read")),
        }
    }
}

/// All that is known of one key in one place.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FieldAt {
    pub(super) place: Place,
    pub(super) key: String,
    /// Rows with any value.
    pub(super) present: RowsAt,
    /// How many they are.
    pub(super) rows: u32,
    /// Rows with something that cannot be compared here.
    pub(super) odd: Option<RowsAt>,
    /// Values, by form.
    pub(super) forms: Vec<FormAt>,
}

/// The values of one form that a field has.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct FormAt {
    pub(super) form: Form,
    /// How many different ones.
    pub(super) values: u32,
    /// How many stretches they are written in.
    pub(super) chunks: u32,
    pub(super) fences: At,
}

/// Where in the index of a block everything is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Directory {
    /// By place and key.
    pub(super) fields: Vec<FieldAt>,
    /// Rows with a key that is not indexed.
    pub(super) unlisted: Option<RowsAt>,
    pub(super) traces: TracesAt,
    /// What spans share, in the index.
    pub(super) shared: Frames,
    /// The spans, in their own file.
    pub(super) raw: Frames,
}

/// What is known of rows one by one: so much that they can be counted without being read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct RowsKnown {
    /// When each span began.
    pub(super) starts: Numbers,
    /// How long it took, in nanoseconds.
    pub(super) durations: Numbers,
    /// Made of its id: equal ids have equal marks.
    pub(super) marks: Numbers,
    /// For fields by number, rows that have something else than one plain value; fields without such rows are not here.
    pub(super) several: Vec<(u32, RowsAt)>,
    /// What tells which traces are not here; written behind the rest, and not by every version of this program.
    #[serde(skip)]
    pub(super) sieve: Option<At>,
}

impl RowsKnown {
    /// Reads what is known of the rows of a block.
    pub(super) fn read(source: &Source, at: At, rows: u32, fields: usize) -> Result<Self, SpanStoreError> {
        let bytes = source.read(at)?;
        let unreadable = |_| source.corrupt("what is known of rows cannot be read");
        let (mut known, rest): (Self, _) = postcard::take_from_bytes(&bytes).map_err(unreadable)?;
        if !rest.is_empty() {
            known.sieve = Some(postcard::from_bytes(rest).map_err(unreadable)?);
        }
        let fits = [&known.starts, &known.durations, &known.marks].iter().all(|numbers| numbers.fit(source, rows))
            && known.several.is_sorted_by(|(one, _), (next, _)| one < next)
            && known.several.last().is_none_or(|(field, _)| (*field as usize) < fields);
        if fits { Ok(known) } else { Err(source.corrupt("what is known of rows does not fit together")) }
    }

    /// The bytes to be written.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, postcard::Error> {
        let bytes = postcard::to_stdvec(self)?;
        match self.sieve {
            Some(sieve) => postcard::to_extend(&sieve, bytes),
            None => Ok(bytes),
        }
    }

    /// Rows of a field that have something else than one plain value.
    pub(super) fn several(&self, field: usize) -> Option<RowsAt> {
        let found = self.several.binary_search_by_key(&field, |(number, _)| *number as usize).ok()?;
        self.several.get(found).map(|(_, rows)| *rows)
    }
}

/// Where stretches of values begin: in memory while a block is open, once they were needed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Fences {
    pub(super) chunks: Vec<At>,
    /// Where each separator ends.
    pub(super) ends: Vec<u32>,
    /// Bytes that no value before the stretch reaches, and none in it falls below.
    pub(super) separators: Vec<u8>,
}

impl Fences {
    /// Adds a stretch that begins with `first` where the one before ended with `before`.
    pub(super) fn push(&mut self, before: Option<&[u8]>, first: &[u8], at: At) {
        let common =
            before.map_or(0, |before| before.iter().zip(first).take_while(|(one, other)| one == other).count());
        let needed = if before.is_some() { (common + 1).min(first.len()) } else { 0 };
        self.separators.extend_from_slice(&first[..needed]);
        self.ends.push(self.separators.len() as u32);
        self.chunks.push(at);
    }

    /// Reads those of a field.
    pub(super) fn read(source: &Source, at: At) -> Result<Self, SpanStoreError> {
        let bytes = source.read(at)?;
        let fences: Self =
            postcard::from_bytes(&bytes).map_err(|_| source.corrupt("where values begin cannot be read"))?;
        let fits = fences.ends.len() == fences.chunks.len()
            && fences.ends.is_sorted()
            && fences.ends.last().is_none_or(|end| *end as usize == fences.separators.len())
            && fences.chunks.iter().all(|chunk| source.has(*chunk));
        if fits { Ok(fences) } else { Err(source.corrupt("where values begin does not fit together")) }
    }

    fn separator(&self, chunk: usize) -> &[u8] {
        let start = if chunk == 0 { 0 } else { self.ends[chunk - 1] as usize };
        &self.separators[start..self.ends[chunk] as usize]
    }

    /// The only stretch that can hold a value.
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

    /// How many stretches can hold a value from the first to the last.
    pub(super) fn between(&self, first: Option<&[u8]>, last: Option<&[u8]>) -> usize {
        let from = first.map_or(0, |first| self.holding(first));
        let to = last.map_or(self.chunks.len(), |last| self.holding(last) + 1);
        to.min(self.chunks.len()).saturating_sub(from)
    }
}
