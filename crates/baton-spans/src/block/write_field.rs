//! Writes a field: its sorted values with their posting lists.

use super::{
    directory::{FenceIndex, FieldEntry, FieldValuesEntry, PostingExtent},
    file::BlockFileWriter,
    varint,
};
use crate::index::{AtomKind, ValueLocation};
use baton_span_ports::SpanStoreError;
use roaring::RoaringBitmap;

/// Target size of a chunk of values, the unit of reading.
const CHUNK_LEN: usize = 16 << 10;

/// Longer posting lists are stored apart from their value.
pub(super) const MAX_INLINE_ROWS: usize = 512;

/// Writes the values of a field, which must be grouped by type and sorted by bytes within a type.
pub(super) struct FieldWriter<'a> {
    out: &'a mut BlockFileWriter,
    /// One bit per row with a value; cleared when the field is finished.
    bits: &'a mut Vec<u8>,
    field: FieldEntry,
    not_single: Option<PostingExtent>,
    writing: Option<FormWriter>,
}

struct FormWriter {
    form: AtomKind,
    values: u32,
    chunk: Vec<u8>,
    /// The first value of the chunk.
    first: Vec<u8>,
    /// The last value written.
    last: Vec<u8>,
    /// The last value of the previous chunk.
    before: Option<Vec<u8>>,
    fences: FenceIndex,
}

impl<'a> FieldWriter<'a> {
    /// Begins a field; `bits` has one zero bit per row of the block.
    pub(super) fn new(
        out: &'a mut BlockFileWriter,
        bits: &'a mut Vec<u8>,
        location: ValueLocation,
        key: &str,
    ) -> Result<Self, SpanStoreError> {
        let nowhere = out.put(&[])?;
        let field = FieldEntry {
            place: location,
            key: key.to_owned(),
            present: PostingExtent(nowhere),
            rows: 0,
            odd: None,
            forms: Vec::new(),
        };
        Ok(Self { out, bits, field, not_single: None, writing: None })
    }

    /// Writes a value with its rows, in ascending order.
    pub(super) fn write_value(&mut self, form: AtomKind, value: &[u8], rows: &[u32]) -> Result<(), SpanStoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        self.mark_present(rows);
        if self.writing.as_ref().is_some_and(|writing| writing.form != form) {
            self.end_form()?;
        }
        let writing = self.writing.get_or_insert_with(|| FormWriter::new(form));
        writing.value(self.out, value, rows)
    }

    /// Writes the rows with a value that cannot be compared.
    pub(super) fn write_incomparable(&mut self, rows: &[u32]) -> Result<(), SpanStoreError> {
        self.mark_present(rows);
        self.field.odd = write_rows(self.out, rows)?;
        Ok(())
    }

    /// Writes the rows that do not have exactly one scalar value.
    pub(super) fn write_not_single(&mut self, rows: &[u32]) -> Result<(), SpanStoreError> {
        self.not_single = write_rows(self.out, rows)?;
        Ok(())
    }

    fn mark_present(&mut self, rows: &[u32]) {
        for row in rows {
            if let Some(byte) = self.bits.get_mut(*row as usize / 8) {
                *byte |= 1 << (row % 8);
            }
        }
    }

    fn end_form(&mut self) -> Result<(), SpanStoreError> {
        if let Some(writing) = self.writing.take() {
            self.field.forms.push(writing.finish(self.out)?);
        }
        Ok(())
    }

    /// Ends the field; returns its entry and the location of the rows that do not have exactly one scalar value, or
    /// `None` if no row has a value.
    pub(super) fn finish(mut self) -> Result<Option<(FieldEntry, Option<PostingExtent>)>, SpanStoreError> {
        self.end_form()?;
        let mut present = RoaringBitmap::from_lsb0_bytes(0, self.bits);
        self.bits.fill(0);
        if present.is_empty() {
            return Ok(None);
        }
        self.field.rows = present.len() as u32;
        present.optimize();
        self.field.present = put_rows(self.out, &present)?;
        Ok(Some((self.field, self.not_single)))
    }
}

/// Writes a posting list of ascending rows; `None` if it is empty.
pub(super) fn write_rows(out: &mut BlockFileWriter, rows: &[u32]) -> Result<Option<PostingExtent>, SpanStoreError> {
    if rows.is_empty() {
        return Ok(None);
    }
    put_rows(out, &rows_to_bitmap(rows)).map(Some)
}

fn rows_to_bitmap(rows: &[u32]) -> RoaringBitmap {
    let mut listed: RoaringBitmap =
        RoaringBitmap::from_sorted_iter(rows.iter().copied()).unwrap_or_else(|_| rows.iter().copied().collect());
    listed.optimize();
    listed
}

fn put_rows(out: &mut BlockFileWriter, rows: &RoaringBitmap) -> Result<PostingExtent, SpanStoreError> {
    let mut bytes = Vec::with_capacity(rows.serialized_size());
    rows.serialize_into(&mut bytes)
        .map_err(|error| SpanStoreError::Unavailable(format!("a list of rows cannot be encoded: {error}")))?;
    out.put(&bytes).map(PostingExtent)
}

impl FormWriter {
    fn new(form: AtomKind) -> Self {
        Self {
            form,
            values: 0,
            chunk: Vec::with_capacity(CHUNK_LEN + 1024),
            first: Vec::new(),
            last: Vec::new(),
            before: None,
            fences: FenceIndex::default(),
        }
    }

    fn value(&mut self, out: &mut BlockFileWriter, value: &[u8], rows: &[u32]) -> Result<(), SpanStoreError> {
        if self.chunk.len() >= CHUNK_LEN {
            self.flush(out)?;
        }
        if self.chunk.is_empty() {
            self.first = value.to_vec();
            self.last.clear();
        }
        let common = self.last.iter().zip(value).take_while(|(one, other)| one == other).count();
        varint::put(&mut self.chunk, common as u64);
        varint::put(&mut self.chunk, (value.len() - common) as u64);
        self.chunk.extend_from_slice(&value[common..]);
        self.last.truncate(common);
        self.last.extend_from_slice(&value[common..]);
        varint::put(&mut self.chunk, rows.len() as u64);
        if rows.len() <= MAX_INLINE_ROWS {
            let mut before = 0;
            for row in rows {
                varint::put(&mut self.chunk, u64::from(row - before));
                before = *row;
            }
        } else {
            let PostingExtent(at) = put_rows(out, &rows_to_bitmap(rows))?;
            varint::put(&mut self.chunk, at.offset);
            varint::put(&mut self.chunk, u64::from(at.len));
            varint::put(&mut self.chunk, u64::from(at.crc));
        }
        self.values += 1;
        Ok(())
    }

    fn flush(&mut self, out: &mut BlockFileWriter) -> Result<(), SpanStoreError> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        let at = out.put(&self.chunk)?;
        self.fences.push(self.before.as_deref(), &self.first, at);
        self.before = Some(self.last.clone());
        self.chunk.clear();
        Ok(())
    }

    fn finish(mut self, out: &mut BlockFileWriter) -> Result<FieldValuesEntry, SpanStoreError> {
        self.flush(out)?;
        let bytes = postcard::to_stdvec(&self.fences)
            .map_err(|error| SpanStoreError::Unavailable(format!("an index cannot be encoded: {error}")))?;
        let chunks = self.fences.chunks.len() as u32;
        Ok(FieldValuesEntry { form: self.form, values: self.values, chunks, fences: out.put(&bytes)? })
    }
}
