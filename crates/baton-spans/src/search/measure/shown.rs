//! Sampling of exemplars.

/// Maximum number of exemplars per segment.
const MOST: usize = 200;

/// A row chosen as an exemplar of its group.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    pub(super) row: u32,
    pub(super) group: usize,
    pub(super) value: f64,
}

/// Samples rows of each group by a hash of their row numbers.
pub(super) struct Choice {
    /// Number of exemplars per group.
    each: usize,
    /// By group, the rows with the lowest hashes.
    chosen: Vec<Vec<(u32, Shown)>>,
}

impl Choice {
    /// At most `most` exemplars per group.
    pub(super) fn new(groups: usize, most: usize) -> Self {
        let each = if most == 0 { 0 } else { most.min((MOST / groups.max(1)).max(1)) };
        Self { each, chosen: vec![Vec::new(); if each == 0 { 0 } else { groups }] }
    }

    /// Offers a row to the sample.
    pub(super) fn offer(&mut self, row: u32, group: usize, value: f64) {
        let Some(chosen) = self.chosen.get_mut(group) else { return };
        let shuffled = row.wrapping_mul(0x9e37_79b1).rotate_left(15).wrapping_mul(0x85eb_ca6b);
        if chosen.len() == self.each && chosen.last().is_some_and(|(worst, _)| *worst <= shuffled) {
            return;
        }
        let at = chosen.partition_point(|(known, _)| *known <= shuffled);
        chosen.truncate(self.each - 1);
        chosen.insert(at, (shuffled, Shown { row, group, value }));
    }

    /// The sampled rows, in row order.
    pub(super) fn finish(self) -> Vec<Shown> {
        let mut all: Vec<Shown> =
            self.chosen.into_iter().flatten().map(|(_, shown)| shown).take(MOST).collect();
        all.sort_by_key(|shown| shown.row);
        all
    }
}
