//! Groups of a segment as a tally knows them.

use super::groups::Groups;
use baton_traceql::{Group, Tally};

/// Groups of a segment as the tally knows them, once something is counted.
pub(super) struct Named(Vec<Option<Option<Group>>>);

impl Named {
    pub(super) fn new(groups: usize) -> Self {
        Self(vec![None; groups])
    }

    /// That of a group; none when there are too many.
    pub(super) fn get(&mut self, tally: &mut Tally, groups: &Groups, group: usize) -> Option<Group> {
        *self.0[group].get_or_insert_with(|| tally.group(&groups.values[group]))
    }

    /// That of a group of which something was counted.
    pub(super) fn known(&self, group: usize) -> Option<Group> {
        self.0.get(group).copied().flatten().flatten()
    }
}
