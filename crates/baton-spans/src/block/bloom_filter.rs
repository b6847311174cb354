//! Bloom filter over the trace ids of a block: most absent traces are rejected without disk access.

use baton_types::TraceId;

/// Bits per trace: about 0.5 % false positives.
const BITS_PER_TRACE: usize = 12;
const WORDS_PER_CELL: usize = 8;
/// Odd multipliers that spread a hash over the words of a cell.
const SPREAD: [u32; WORDS_PER_CELL] =
    [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31];

type BloomCell = [u32; WORDS_PER_CELL];

/// Split-block Bloom filter over the trace ids of a block: all bits of a trace are in one cell.
pub(super) struct BloomFilter {
    cells: Vec<BloomCell>,
}

impl BloomFilter {
    /// A filter that contains these ids.
    pub(super) fn from_ids(ids: impl ExactSizeIterator<Item = TraceId>) -> Self {
        let cells = (ids.len() * BITS_PER_TRACE).div_ceil(32 * WORDS_PER_CELL).max(1);
        let mut filter = Self { cells: vec![[0; WORDS_PER_CELL]; cells] };
        for id in ids {
            let (at, bits) = filter.cell_and_bits(id);
            filter.cells[at].iter_mut().zip(bits).for_each(|(word, bit)| *word |= bit);
        }
        filter
    }

    /// Encodes the filter.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.cells.iter().flatten().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Decodes a filter.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let (words, []) = bytes.as_chunks::<4>() else { return None };
        let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let (cells, []) = words.as_chunks::<WORDS_PER_CELL>() else { return None };
        (!cells.is_empty()).then(|| Self { cells: cells.to_vec() })
    }

    /// Whether a trace may be present.
    pub(super) fn may_contain(&self, id: TraceId) -> bool {
        let (at, bits) = self.cell_and_bits(id);
        self.cells[at].iter().zip(bits).all(|(word, bit)| word & bit != 0)
    }

    fn cell_and_bits(&self, id: TraceId) -> (usize, BloomCell) {
        let hash = hash(id);
        let (high, low) = (hash >> 32, hash as u32);
        let at = (high * self.cells.len() as u64) >> 32;
        (at as usize, SPREAD.map(|spread| 1 << (low.wrapping_mul(spread) >> 27)))
    }
}

/// Trace ids should be random, but some clients generate them otherwise.
fn hash(id: TraceId) -> u64 {
    let number = u128::from_le_bytes(id.0);
    let folded = (number as u64) ^ ((number >> 64) as u64).rotate_left(29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (folded ^ (folded >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(number: u64) -> TraceId {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
        id[8..].copy_from_slice(&number.wrapping_mul(0xd1b5_4a32_d192_ed03).to_be_bytes());
        TraceId(id)
    }

    #[test]
    fn filter_passes_all_members_and_few_others() {
        let counted = |number: u64| TraceId(u128::from(number).to_be_bytes());
        for id in [&random as &dyn Fn(u64) -> TraceId, &counted] {
            let filter = BloomFilter::from_ids((0..20_000u32).map(|number| id(number.into())));
            let filter = BloomFilter::read(&filter.bytes()).expect("a readable filter");
            assert!((0..20_000).all(|number| filter.may_contain(id(number))));
            let others = (20_000..120_000).filter(|number| filter.may_contain(id(*number))).count();
            assert!(others < 1_000, "{others} of 100,000 others pass");
        }
        assert!(!BloomFilter::from_ids(std::iter::empty()).may_contain(random(1)));
        assert!(
            BloomFilter::read(&[]).is_none()
                && BloomFilter::read(&[0; 33]).is_none()
                && BloomFilter::read(&[0; 36]).is_none()
        );
    }
}
