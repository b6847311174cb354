//! Union of posting lists.

use roaring::RoaringBitmap;

/// Rows collected in any order: a list while there are few, then a bitset over all rows of the segment.
pub(crate) struct RowUnion {
    rows: u32,
    few: Vec<u32>,
    bits: Vec<u8>,
    maps: RoaringBitmap,
}

impl RowUnion {
    /// An empty union for a segment with that many rows.
    pub(crate) fn new(rows: u32) -> Self {
        Self { rows, few: Vec::new(), bits: Vec::new(), maps: RoaringBitmap::new() }
    }

    /// Adds rows; numbers that are out of range are ignored.
    pub(crate) fn add(&mut self, rows: &[u32]) {
        if self.bits.is_empty() {
            self.few.extend_from_slice(rows);
            if self.few.len() > 1024 && self.few.len() > self.rows as usize / 64 {
                self.bits = vec![0; (self.rows as usize).div_ceil(8)];
                let few = std::mem::take(&mut self.few);
                self.set(&few);
            }
        } else {
            self.set(rows);
        }
    }

    fn set(&mut self, rows: &[u32]) {
        for row in rows {
            if let Some(byte) = self.bits.get_mut(*row as usize / 8) {
                *byte |= 1 << (row % 8);
            }
        }
    }

    /// Adds the rows of a bitmap.
    pub(crate) fn add_map(&mut self, map: RoaringBitmap) {
        if self.maps.is_empty() {
            self.maps = map;
        } else {
            self.maps |= map;
        }
    }

    /// The union as a bitmap.
    pub(crate) fn finish(mut self) -> RoaringBitmap {
        if self.bits.is_empty() {
            self.few.sort_unstable();
            self.few.dedup();
            self.few.retain(|row| *row < self.rows);
            self.maps.extend(self.few);
            return self.maps;
        }
        self.maps |= RoaringBitmap::from_lsb0_bytes(0, &self.bits);
        self.maps
    }
}
