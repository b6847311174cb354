//! Parents of the rows of a segment.

use super::table::RowSelection;
use baton_traceql::{NodeParent, TraceNode, node_parents};
use baton_types::SpanId;
use std::{collections::HashMap, ops::Range};

const NO_PARENT: u32 = u32::MAX;

/// Appends a code for the parent of every span of a trace: 0 for none, the position of the parent plus one, or, for the
/// n-th missing parent, the number of spans plus n.
pub(crate) fn append_parent_codes(nodes: &[TraceNode], codes: &mut Vec<u64>) {
    let mut missing: HashMap<SpanId, u64> = HashMap::new();
    let count = nodes.len() as u64;
    codes.extend(node_parents(nodes).into_iter().map(|parent| match parent {
        NodeParent::None => 0,
        NodeParent::Present(position) => position as u64 + 1,
        NodeParent::Missing(id) => {
            let next = missing.len() as u64 + 1;
            count + *missing.entry(id).or_insert(next)
        }
    }));
}

/// Parent of each row in the forest of its trace.
pub(crate) struct RowParents {
    rows: Range<u32>,
    /// By row, the row of its parent; from the end of the rows on, the number of a missing parent.
    links: Vec<u32>,
    missing: u32,
}

impl RowParents {
    /// Memory per row in bytes.
    pub(crate) const BYTES_PER_ROW: usize = size_of::<u32>();

    /// No row has a parent yet.
    pub(crate) fn new(rows: Range<u32>) -> Self {
        Self { links: vec![NO_PARENT; rows.len()], rows, missing: 0 }
    }

    /// Sets the parents of the rows of a trace from their codes; `None` if these are invalid.
    pub(crate) fn set_trace(&mut self, rows: impl Fn(usize) -> u32, codes: &[u64]) -> Option<()> {
        let mut missing = 0;
        for (position, code) in codes.iter().enumerate() {
            let Some(code) = usize::try_from(*code).ok()?.checked_sub(1) else { continue };
            let link = match code.checked_sub(codes.len()) {
                None => rows(code),
                Some(number) => {
                    let number = u32::try_from(number).ok().filter(|_| number < codes.len())?;
                    missing = missing.max(number + 1);
                    self.rows.end.checked_add(self.missing)?.checked_add(number).filter(|link| *link != NO_PARENT)?
                }
            };
            let at = rows(position).checked_sub(self.rows.start)?;
            *self.links.get_mut(at as usize)? = link;
        }
        self.missing += missing;
        Some(())
    }

    /// The row of the parent, if it is present.
    pub(crate) fn parent(&self, row: u32) -> Option<u32> {
        Some(self.link(row)).filter(|link| *link < self.rows.end)
    }

    /// A number that the row shares with its siblings, below [`RowParents::families`]; none without a parent.
    pub(crate) fn family(&self, row: u32) -> Option<usize> {
        let link = Some(self.link(row)).filter(|link| *link != NO_PARENT);
        link.and_then(|link| link.checked_sub(self.rows.start)).map(|family| family as usize)
    }

    /// Upper bound of the family numbers.
    pub(crate) fn families(&self) -> usize {
        self.rows.len() + self.missing as usize
    }

    fn link(&self, row: u32) -> u32 {
        row.checked_sub(self.rows.start).and_then(|at| self.links.get(at as usize)).copied().unwrap_or(NO_PARENT)
    }

    /// Those of the rows that have an ancestor in a set.
    pub(crate) fn below(&self, marked: &RowSelection, rows: &RowSelection) -> RowSelection {
        let (mut below, mut others) = (RowSelection::none(self.rows.clone()), RowSelection::none(self.rows.clone()));
        let mut found = RowSelection::none(self.rows.clone());
        rows.each(|row| {
            let mut at = self.parent(row);
            let mut steps = 0;
            let is_below = loop {
                // A forest has no cycles; the bound only guards against damaged data.
                let Some(ancestor) = at.filter(|_| steps <= self.links.len()) else { break false };
                if marked.has(ancestor) || below.has(ancestor) {
                    break true;
                }
                if others.has(ancestor) {
                    break false;
                }
                at = self.parent(ancestor);
                steps += 1;
            };
            // The result of the ancestors is stored, so that every link is followed at most twice.
            let known = if is_below { &mut below } else { &mut others };
            let mut at = self.parent(row);
            for _ in 0..steps {
                let Some(ancestor) = at else { break };
                known.set(ancestor, true);
                at = self.parent(ancestor);
            }
            found.set(row, is_below);
        });
        found
    }

    /// The rows that have a descendant in a set.
    pub(crate) fn above(&self, marked: &RowSelection) -> RowSelection {
        let mut above = RowSelection::none(self.rows.clone());
        marked.each(|row| {
            let mut at = self.parent(row);
            while let Some(ancestor) = at.filter(|ancestor| !above.has(*ancestor)) {
                above.set(ancestor, true);
                at = self.parent(ancestor);
            }
        });
        above
    }

    /// Those of the rows that have their parent in a set.
    pub(crate) fn children(&self, marked: &RowSelection, rows: &RowSelection) -> RowSelection {
        let mut children = RowSelection::none(self.rows.clone());
        rows.each(|row| {
            if self.parent(row).is_some_and(|parent| marked.has(parent)) {
                children.set(row, true);
            }
        });
        children
    }

    /// The rows that are the parent of a row in a set.
    pub(crate) fn parents_of(&self, marked: &RowSelection) -> RowSelection {
        let mut parents = RowSelection::none(self.rows.clone());
        marked.each(|row| {
            if let Some(parent) = self.parent(row) {
                parents.set(parent, true);
            }
        });
        parents
    }

    /// Those of the rows that have a sibling in a set.
    pub(crate) fn siblings(&self, marked: &RowSelection, rows: &RowSelection) -> RowSelection {
        // Marked members of each family, counted up to two.
        let mut members = vec![0u8; self.families()];
        marked.each(|row| {
            if let Some(count) = self.family(row).and_then(|family| members.get_mut(family)) {
                *count = (*count + 1).min(2);
            }
        });
        let mut found = RowSelection::none(self.rows.clone());
        rows.each(|row| {
            let count = self.family(row).and_then(|family| members.get(family)).copied().unwrap_or_default();
            // A span is not its own sibling.
            found.set(row, count > u8::from(marked.has(row)));
        });
        found
    }
}
