//! Sorted values of a field, read from disk chunk by chunk.

use super::{
    directory::{FenceIndex, PostingExtent},
    file::{BlockFileReader, FileExtent},
    varint,
    write_field::MAX_INLINE_ROWS,
};
use crate::index::{MAX_TEXT_LEN, RowUnion};
use baton_span_ports::SpanStoreError;
use roaring::RoaringBitmap;

/// Cursor over the values of one type of a field.
pub(super) struct ValueCursor<'a> {
    source: &'a BlockFileReader,
    fences: &'a FenceIndex,
    rows: u32,
    /// The next chunk to read.
    next: usize,
    chunk: Vec<u8>,
    at: usize,
    value: Vec<u8>,
    count: u32,
    inline: Vec<u32>,
    posting: Option<PostingExtent>,
}

impl<'a> ValueCursor<'a> {
    /// All values, in a block with that many rows.
    pub(super) fn new(source: &'a BlockFileReader, fences: &'a FenceIndex, rows: u32) -> Self {
        Self {
            source,
            fences,
            rows,
            next: 0,
            chunk: Vec::new(),
            at: 0,
            value: Vec::new(),
            count: 0,
            inline: Vec::new(),
            posting: None,
        }
    }

    /// Starts at a value, or a few values before it.
    pub(super) fn starting_at(mut self, value: &[u8]) -> Self {
        self.next = self.fences.chunk_of(value);
        self
    }

    /// Moves to the next value, if there is one.
    pub(super) fn advance(&mut self) -> Result<bool, SpanStoreError> {
        while self.at >= self.chunk.len() {
            let Some(at) = self.fences.chunks.get(self.next) else { return Ok(false) };
            self.source.read_into(*at, &mut self.chunk)?;
            self.next += 1;
            self.at = 0;
            self.value.clear();
        }
        match self.decode() {
            Some(()) => Ok(true),
            None => Err(self.source.corrupt("the values of a field cannot be read")),
        }
    }

    fn decode(&mut self) -> Option<()> {
        let mut bytes = &self.chunk[self.at..];
        let common = usize::try_from(varint::take(&mut bytes)?).ok()?;
        let fresh = usize::try_from(varint::take(&mut bytes)?).ok()?;
        if common > self.value.len() || common.saturating_add(fresh) > MAX_TEXT_LEN {
            return None;
        }
        let (suffix, rest) = bytes.split_at_checked(fresh)?;
        bytes = rest;
        self.value.truncate(common);
        self.value.extend_from_slice(suffix);
        self.count = varint::take_u32(&mut bytes)?;
        self.inline.clear();
        self.posting = None;
        if self.count as usize <= MAX_INLINE_ROWS {
            let mut row = 0u32;
            for _ in 0..self.count {
                row = row.checked_add(varint::take_u32(&mut bytes)?).filter(|row| *row < self.rows)?;
                self.inline.push(row);
            }
        } else {
            let offset = varint::take(&mut bytes)?;
            let (len, crc) = (varint::take_u32(&mut bytes)?, varint::take_u32(&mut bytes)?);
            self.posting = Some(PostingExtent(FileExtent { offset, len, crc }));
        }
        self.at = self.chunk.len() - bytes.len();
        Some(())
    }

    /// The current value.
    pub(super) fn value(&self) -> &[u8] {
        &self.value
    }

    /// Number of rows that have it.
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// Number of the given rows that have it.
    pub(super) fn count_among(&self, rows: &RoaringBitmap) -> Result<u64, SpanStoreError> {
        match self.posting {
            Some(apart) => Ok(apart.read(self.source, self.rows)?.intersection_len(rows)),
            None => Ok(self.inline.iter().filter(|row| rows.contains(**row)).count() as u64),
        }
    }

    /// Adds the rows that have it to the union.
    pub(super) fn add_to(&self, union: &mut RowUnion) -> Result<(), SpanStoreError> {
        match self.posting {
            Some(apart) => union.add_map(apart.read(self.source, self.rows)?),
            None => union.add(&self.inline),
        }
        Ok(())
    }

    /// Reads the rows that have it into the list, replacing its content.
    pub(super) fn rows_into(&self, rows: &mut Vec<u32>) -> Result<(), SpanStoreError> {
        rows.clear();
        match self.posting {
            Some(apart) => {
                let found = apart.read(self.source, self.rows)?;
                rows.resize(usize::try_from(found.len()).unwrap_or(usize::MAX), 0);
                let read = found.iter().next_many(rows).len();
                rows.truncate(read);
            }
            None => rows.extend_from_slice(&self.inline),
        }
        Ok(())
    }

    /// Passes the rows that have it to the callback.
    pub(super) fn each_row(&self, mut each: impl FnMut(u32)) -> Result<(), SpanStoreError> {
        match self.posting {
            Some(apart) => apart.read(self.source, self.rows)?.into_iter().for_each(each),
            None => self.inline.iter().for_each(|row| each(*row)),
        }
        Ok(())
    }
}
