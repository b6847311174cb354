//! Maps the groups of a segment to groups of a tally.

use super::groups::RowGroups;
use baton_traceql::{GroupIndex, Tally};

/// Groups of the tally by group of the segment, assigned on first use.
pub(super) struct TallyGroups(Vec<Option<Option<GroupIndex>>>);

impl TallyGroups {
    pub(super) fn new(groups: usize) -> Self {
        Self(vec![None; groups])
    }

    /// The tally group of a group; `None` if there are too many.
    pub(super) fn get(&mut self, tally: &mut Tally, groups: &RowGroups, group: usize) -> Option<GroupIndex> {
        *self.0[group].get_or_insert_with(|| tally.group(&groups.values[group]))
    }

    /// The tally group of a group that was counted.
    pub(super) fn known(&self, group: usize) -> Option<GroupIndex> {
        self.0.get(group).copied().flatten().flatten()
    }
}
