//! Column with a number per row, in row order.

use super::file::{BlockFileReader, BlockFileWriter, FileExtent};
use baton_span_ports::SpanStoreError;
use serde::{Deserialize, Serialize};
use std::ops::{ControlFlow, Range};

/// Rows per page.
const PAGE_ROWS: usize = 4096;

/// A page of numbers with a common byte width, stored as offsets from the minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct NumberPage {
    at: FileExtent,
    least: u64,
    most: u64,
}

impl NumberPage {
    /// Bytes per number.
    fn width(self) -> usize {
        let bits = u64::BITS - (self.most.saturating_sub(self.least)).leading_zeros();
        bits.div_ceil(8) as usize
    }
}

/// Locations of the pages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NumberColumn {
    pages: Vec<NumberPage>,
}

/// Writes a column row by row.
#[derive(Default)]
pub(super) struct NumberWriter {
    pending: Vec<u64>,
    written: NumberColumn,
}

impl NumberWriter {
    /// Adds the number of the next row.
    pub(super) fn push(&mut self, out: &mut BlockFileWriter, number: u64) -> Result<(), SpanStoreError> {
        self.pending.push(number);
        if self.pending.len() == PAGE_ROWS { self.flush(out) } else { Ok(()) }
    }

    fn flush(&mut self, out: &mut BlockFileWriter) -> Result<(), SpanStoreError> {
        let (Some(min), Some(max)) = (self.pending.iter().min(), self.pending.iter().max()) else { return Ok(()) };
        let mut page = NumberPage { at: out.put(&[])?, least: *min, most: *max };
        let width = page.width();
        let mut bytes = Vec::with_capacity(width * self.pending.len());
        for number in &self.pending {
            bytes.extend_from_slice(&(number - page.least).to_le_bytes()[..width]);
        }
        page.at = out.put(&bytes)?;
        self.written.pages.push(page);
        self.pending.clear();
        Ok(())
    }

    /// Writes the last page.
    pub(super) fn finish(mut self, out: &mut BlockFileWriter) -> Result<NumberColumn, SpanStoreError> {
        self.flush(out)?;
        Ok(self.written)
    }
}

impl NumberColumn {
    /// Whether the pages are consistent with the file and the number of rows.
    pub(super) fn is_consistent(&self, source: &BlockFileReader, rows: u32) -> bool {
        let rows = rows as usize;
        let fits = |(number, page): (usize, &NumberPage)| {
            let here = (rows - number * PAGE_ROWS).min(PAGE_ROWS);
            page.least <= page.most && page.at.len as usize == page.width() * here && source.contains(page.at)
        };
        self.pages.len() == rows.div_ceil(PAGE_ROWS) && self.pages.iter().enumerate().all(fits)
    }

    /// Passes the numbers of some rows to the callback page by page, until it breaks; pages whose minimum and maximum
    /// are not wanted are skipped. Returns the number of bytes read.
    pub(super) fn each(
        &self,
        source: &BlockFileReader,
        rows: Range<u32>,
        is_selected: impl Fn(u64, u64) -> bool,
        mut each: impl FnMut(u32, &[u64]) -> ControlFlow<()>,
    ) -> Result<u64, SpanStoreError> {
        let (mut bytes, mut numbers, mut read) = (Vec::new(), Vec::new(), 0);
        let mut row = rows.start as usize;
        while row < rows.end as usize {
            let number = row / PAGE_ROWS;
            let page = *self.pages.get(number).ok_or_else(|| source.corrupt("the number of a row is missing"))?;
            let end = (rows.end as usize).min((number + 1) * PAGE_ROWS);
            if is_selected(page.least, page.most) {
                let width = page.width();
                source.read_into(page.at, &mut bytes)?;
                read += u64::from(page.at.len);
                // Every number is read as eight bytes, some of which belong to the next.
                bytes.resize(bytes.len() + 8, 0);
                let mask = if width == 8 { u64::MAX } else { (1 << (8 * width)) - 1 };
                let first = row - number * PAGE_ROWS;
                numbers.clear();
                for at in first..first + (end - row) {
                    let wide = bytes.get(at * width..).and_then(|rest| rest.first_chunk::<8>());
                    let wide = wide.ok_or_else(|| source.corrupt("the number of a row is missing"))?;
                    numbers.push(page.least.wrapping_add(u64::from_le_bytes(*wide) & mask));
                }
                if each(row as u32, &numbers).is_break() {
                    break;
                }
            }
            row = end;
        }
        Ok(read)
    }
}
