//! Sampling of exemplars.

/// Maximum number of exemplars per segment.
const MAX_EXEMPLARS: usize = 200;

/// A row chosen as an exemplar of its group.
#[derive(Clone, Copy)]
pub(super) struct ExemplarRow {
    pub(super) row: u32,
    pub(super) group: usize,
    pub(super) value: f64,
}

/// Samples rows of each group by a hash of their row numbers.
pub(super) struct ExemplarSampler {
    /// Number of exemplars per group.
    per_group: usize,
    /// By group, the rows with the lowest hashes.
    chosen: Vec<Vec<(u32, ExemplarRow)>>,
}

impl ExemplarSampler {
    /// At most `most` exemplars per group.
    pub(super) fn new(groups: usize, max: usize) -> Self {
        let per_group = if max == 0 { 0 } else { max.min((MAX_EXEMPLARS / groups.max(1)).max(1)) };
        Self { per_group, chosen: vec![Vec::new(); if per_group == 0 { 0 } else { groups }] }
    }

    /// Offers a row to the sample.
    pub(super) fn offer(&mut self, row: u32, group: usize, value: f64) {
        let Some(chosen) = self.chosen.get_mut(group) else { return };
        let shuffled = row.wrapping_mul(0x9e37_79b1).rotate_left(15).wrapping_mul(0x85eb_ca6b);
        if chosen.len() == self.per_group && chosen.last().is_some_and(|(worst, _)| *worst <= shuffled) {
            return;
        }
        let at = chosen.partition_point(|(known, _)| *known <= shuffled);
        chosen.truncate(self.per_group - 1);
        chosen.insert(at, (shuffled, ExemplarRow { row, group, value }));
    }

    /// The sampled rows, in row order.
    pub(super) fn finish(self) -> Vec<ExemplarRow> {
        let mut all: Vec<ExemplarRow> =
            self.chosen.into_iter().flatten().map(|(_, shown)| shown).take(MAX_EXEMPLARS).collect();
        all.sort_by_key(|shown| shown.row);
        all
    }
}
