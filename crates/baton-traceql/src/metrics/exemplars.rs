//! Exemplars of a group.

use super::series::Exemplar;

/// A bounded sample: the spans of a group with the lowest id hashes. It is spread over time and independent of
/// insertion order.
#[derive(Clone, Debug, Default)]
pub(super) struct Exemplars(Vec<(u64, Exemplar)>);

impl Exemplars {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds an exemplar if its hash ranks low enough; returns the added bytes.
    pub(super) fn add(&mut self, exemplar: Exemplar, max: usize) -> usize {
        let before = self.0.len();
        let rank = id_hash(&exemplar);
        let key = |(rank, exemplar): &(u64, Exemplar)| (*rank, exemplar.trace, exemplar.span, exemplar.value.to_bits());
        let at = self.0.partition_point(|known| key(known) < key(&(rank, exemplar)));
        let known = self.0.get(at).is_some_and(|known| key(known) == key(&(rank, exemplar)));
        if at < max && !known {
            self.0.truncate(max - 1);
            self.0.insert(at, (rank, exemplar));
        }
        self.0.len().saturating_sub(before) * size_of::<(u64, Exemplar)>()
    }

    pub(super) fn merge(&mut self, other: Self, max: usize) -> usize {
        other.0.into_iter().map(|(_, exemplar)| self.add(exemplar, max)).sum()
    }

    /// Exemplars by time.
    pub(super) fn into_sorted(self) -> Vec<Exemplar> {
        let mut exemplars: Vec<Exemplar> = self.0.into_iter().map(|(_, exemplar)| exemplar).collect();
        exemplars.sort_unstable_by(|left, right| {
            let key = |exemplar: &Exemplar| (exemplar.at, exemplar.trace, exemplar.span);
            key(left).cmp(&key(right)).then(left.value.total_cmp(&right.value))
        });
        exemplars
    }
}

/// A deterministic hash of the span id.
fn id_hash(exemplar: &Exemplar) -> u64 {
    let bytes = exemplar.trace.0.iter().chain(&exemplar.span.0);
    let mixed = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3));
    // Mixes the last bytes into all bits.
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}
