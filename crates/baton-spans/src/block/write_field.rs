//! Writes a field: its sorted values with their posting lists.

use super::{
    directory::{Fences, FieldAt, FormAt, RowsAt},
    file::Output,
    varint,
};
use crate::index::{Form, Place};
use baton_ports::SpanStoreError;
use roaring::RoaringBitmap;

/// Target size of a chunk of values, the unit of reading.
const CHUNK: usize = 16 << 10;

/// Longer posting lists are stored apart from their value.
pub(super) const INLINE: usize = 512;

/// Writes the values of a field, which must be grouped by type and sorted by bytes within a type.
pub(super) struct FieldWriter<'a> {
    out: &'a mut Output,
    /// One bit per row with a value; cleared when the field is finished.
    bits: &'a mut Vec<u8>,
    field: FieldAt,
    several: Option<RowsAt>,
    writing: Option<FormWriter>,
}

struct FormWriter {
    form: Form,
    values: u32,
    chunk: Vec<u8>,
    /// The first value of the chunk.
    first: Vec<u8>,
    /// The last value written.
    last: Vec<u8>,
    /// The last value of the previous chunk.
    before: Option<Vec<u8>>,
    fences: Fences,
}

impl<'a> FieldWriter<'a> {
    /// Begins a field; `bits` has one zero bit per row of the block.
    pub(super) fn new(
        out: &'a mut Output,
        bits: &'a mut Vec<u8>,
        place: Place,
        key: &str,
    ) -> Result<Self, SpanStoreError> {
        let nowhere = out.put(&[])?;
        let field =
            FieldAt { place, key: key.to_owned(), present: RowsAt(nowhere), rows: 0, odd: None, forms: Vec::new() };
        Ok(Self { out, bits, field, several: None, writing: None })
    }

    /// Writes a value with its rows, in ascending order.
    pub(super) fn value(&mut self, form: Form, value: &[u8], rows: &[u32]) -> Result<(), SpanStoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        self.note(rows);
        if self.writing.as_ref().is_some_and(|writing| writing.form != form) {
            self.end_form()?;
        }
        let writing = self.writing.get_or_insert_with(|| FormWriter::new(form));
        writing.value(self.out, value, rows)
    }

    /// Writes the rows with a value that cannot be compared.
    pub(super) fn odd(&mut self, rows: &[u32]) -> Result<(), SpanStoreError> {
        self.note(rows);
        self.field.odd = write_rows(self.out, rows)?;
        Ok(())
    }

    /// Writes the rows that do not have exactly one scalar value.
    pub(super) fn several(&mut self, rows: &[u32]) -> Result<(), SpanStoreError> {
        self.several = write_rows(self.out, rows)?;
        Ok(())
    }

    fn note(&mut self, rows: &[u32]) {
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
    pub(super) fn finish(mut self) -> Result<Option<(FieldAt, Option<RowsAt>)>, SpanStoreError> {
        self.end_form()?;
        let mut present = RoaringBitmap::from_lsb0_bytes(0, self.bits);
        self.bits.fill(0);
        if present.is_empty() {
            return Ok(None);
        }
        self.field.rows = present.len() as u32;
        present.optimize();
        self.field.present = put_rows(self.out, &present)?;
        Ok(Some((self.field, self.several)))
    }
}

/// Writes a posting list of ascending rows; `None` if it is empty.
pub(super) fn write_rows(out: &mut Output, rows: &[u32]) -> Result<Option<RowsAt>, SpanStoreError> {
    if rows.is_empty() {
        return Ok(None);
    }
    put_rows(out, &listed(rows)).map(Some)
}

fn listed(rows: &[u32]) -> RoaringBitmap {
    let mut listed: RoaringBitmap =
        RoaringBitmap::from_sorted_iter(rows.iter().copied()).unwrap_or_else(|_| rows.iter().copied().collect());
    listed.optimize();
    listed
}

fn put_rows(out: &mut Output, rows: &RoaringBitmap) -> Result<RowsAt, SpanStoreError> {
    let mut bytes = Vec::with_capacity(rows.serialized_size());
    rows.serialize_into(&mut bytes)
        .map_err(|error| SpanStoreError::Unavailable(format!("a list of rows cannot be encoded: {error}")))?;
    out.put(&bytes).map(RowsAt)
}

impl FormWriter {
    fn new(form: Form) -> Self {
        Self {
            form,
            values: 0,
            chunk: Vec::with_capacity(CHUNK + 1024),
            first: Vec::new(),
            last: Vec::new(),
            before: None,
            fences: Fences::default(),
        }
    }

    fn value(&mut self, out: &mut Output, value: &[u8], rows: &[u32]) -> Result<(), SpanStoreError> {
        if self.chunk.len() >= CHUNK {
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
        if rows.len() <= INLINE {
            let mut before = 0;
            for row in rows {
                varint::put(&mut self.chunk, u64::from(row - before));
                before = *row;
            }
        } else {
            let RowsAt(at) = put_rows(out, &listed(rows))?;
            varint::put(&mut self.chunk, at.offset);
            varint::put(&mut self.chunk, u64::from(at.len));
            varint::put(&mut self.chunk, u64::from(at.crc));
        }
        self.values += 1;
        Ok(())
    }

    fn flush(&mut self, out: &mut Output) -> Result<(), SpanStoreError> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        let at = out.put(&self.chunk)?;
        self.fences.push(self.before.as_deref(), &self.first, at);
        self.before = Some(self.last.clone());
        self.chunk.clear();
        Ok(())
    }

    fn finish(mut self, out: &mut Output) -> Result<FormAt, SpanStoreError> {
        self.flush(out)?;
        let bytes = postcard::to_stdvec(&self.fences)
            .map_err(|error| SpanStoreError::Unavailable(format!("an index cannot be encoded: {error}")))?;
        let chunks = self.fences.chunks.len() as u32;
        Ok(FormAt { form: self.form, values: self.values, chunks, fences: out.put(&bytes)? })
    }
}
