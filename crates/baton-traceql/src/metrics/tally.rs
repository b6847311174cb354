//! Accumulator of a metrics leaf.

use super::{
    cells::{CellKind, IntervalCells, is_measurable},
    comparison::ComparisonTally,
    exemplars::Exemplars,
    key,
    leaf::MetricsLeaf,
    limits::MetricsLimits,
    series::Exemplar,
};
use crate::QueryError;
use baton_types::SpanValue;
use std::collections::HashMap;

/// Accumulated state of one leaf of a query over a part of the spans.
#[derive(Clone, Debug)]
pub struct Tally {
    pub(super) lines: Vec<GroupTally>,
    pub(super) compared: Option<ComparisonTally>,
    pub(super) is_complete: bool,
    /// Whether [`MetricsLimits::bytes`] was exceeded.
    is_full: bool,
    cell_kind: CellKind,
    intervals: usize,
    limits: MetricsLimits,
    bytes: usize,
    groups: HashMap<Vec<u8>, GroupIndex>,
    key: Vec<u8>,
}

/// A group in one [`Tally`]: spans with equal values of the grouping fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupIndex(usize);

/// Accumulated state of a group.
#[derive(Clone, Debug)]
pub(super) struct GroupTally {
    pub(super) values: Vec<Option<SpanValue>>,
    pub(super) cells: IntervalCells,
    pub(super) exemplars: Exemplars,
}

impl Tally {
    /// An empty tally; without a leaf it counts nothing.
    pub(super) fn new(leaf: Option<&MetricsLeaf>, intervals: usize, limits: MetricsLimits) -> Self {
        Self {
            lines: Vec::new(),
            compared: leaf.and_then(MetricsLeaf::compare).map(|_| ComparisonTally::new(intervals)),
            is_complete: true,
            is_full: false,
            cell_kind: leaf.map_or(CellKind::Counts, |leaf| CellKind::from_stage(&leaf.first)),
            intervals,
            limits,
            bytes: 0,
            groups: HashMap::new(),
            key: Vec::new(),
        }
    }

    /// The group with these values, one for each field of [`super::MetricsPushdown::by`]; none if the limit of groups
    /// is reached. The data of such a group is dropped, and the result is marked as incomplete.
    pub fn group(&mut self, values: &[Option<SpanValue>]) -> Option<GroupIndex> {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        // A series needs at least one label: spans with none of the values get the label value `nil`.
        let nameless = !values.is_empty() && values.iter().all(Option::is_none);
        let nil = nameless.then(|| SpanValue::from("nil"));
        let named = |index: usize| values[index].as_ref().or(nil.as_ref().filter(|_| index == 0));
        (0..values.len()).for_each(|index| key::write(named(index), &mut key));
        let known = self.groups.get(&key).copied();
        let group = known.or_else(|| {
            let bytes = 2 * key.len() + size_of::<GroupTally>() + self.intervals * self.cell_kind.bytes();
            if self.lines.len() >= self.limits.series {
                self.is_complete = false;
                return None;
            }
            if self.bytes + bytes > self.limits.bytes {
                self.is_full = true;
                return None;
            }
            self.bytes += bytes;
            let group = GroupIndex(self.lines.len());
            self.lines.push(GroupTally {
                values: (0..values.len()).map(|index| named(index).cloned()).collect(),
                cells: IntervalCells::new(self.cell_kind, self.intervals),
                exemplars: Exemplars::default(),
            });
            self.groups.insert(key.clone(), group);
            Some(group)
        });
        self.key = key;
        group
    }

    /// Adds a span, or one of its numbers in the unit of the field (durations in nanoseconds). Functions that only
    /// count spans ignore the number.
    pub fn add(&mut self, group: GroupIndex, interval: usize, value: f64) {
        self.add_many(group, interval, value, 1);
    }

    /// Adds the same number several times.
    pub fn add_many(&mut self, group: GroupIndex, interval: usize, value: f64, times: u64) {
        if self.bytes > self.limits.bytes {
            self.is_full = true;
            return;
        }
        if let Some(line) = self.lines.get_mut(group.0) {
            self.bytes += line.cells.add(interval, value, times);
        }
    }

    /// Adds several numbers of one interval, like repeated calls of [`Tally::add`].
    pub fn add_each(&mut self, group: GroupIndex, interval: usize, values: &[f64]) {
        if self.bytes > self.limits.bytes {
            self.is_full = true;
            return;
        }
        if let Some(line) = self.lines.get_mut(group.0) {
            self.bytes += line.cells.add_each(interval, values);
        }
    }

    /// Whether the group has fewer exemplars than requested.
    pub fn wants_exemplar(&self, group: GroupIndex) -> bool {
        self.lines.get(group.0).is_some_and(|line| line.exemplars.len() < self.limits.exemplars)
    }

    /// Offers an exemplar, with its number in the unit of [`Tally::add`]. Only a sample is kept, so callers may offer
    /// more than the limit.
    pub fn add_exemplar(&mut self, group: GroupIndex, exemplar: Exemplar) {
        let measured = self.cell_kind == CellKind::Counts || is_measurable(exemplar.value);
        if let Some(line) = self.lines.get_mut(group.0).filter(|_| measured && self.limits.exemplars > 0) {
            self.bytes += line.exemplars.add(exemplar, self.limits.exemplars);
        }
    }

    /// Fails once the tally exceeds its memory limit. Callers should check often: later additions have no effect.
    pub fn check_room(&self) -> Result<(), QueryError> {
        if !self.is_full {
            return Ok(());
        }
        Err(QueryError::TooLarge(format!("the query uses more than {} bytes while counting", self.limits.bytes)))
    }

    /// Merges another tally of the same leaf over other spans.
    pub fn merge(&mut self, other: Self) {
        self.is_complete &= other.is_complete;
        self.is_full |= other.is_full;
        for line in other.lines {
            if self.bytes > self.limits.bytes {
                self.is_full = true;
                break;
            }
            let Some(group) = self.group(&line.values) else { continue };
            let max_exemplars = self.limits.exemplars;
            if let Some(known) = self.lines.get_mut(group.0) {
                self.bytes += known.cells.merge(line.cells);
                self.bytes += known.exemplars.merge(line.exemplars, max_exemplars);
            }
        }
        if let (Some(compared), Some(other)) = (&mut self.compared, other.compared) {
            self.is_complete &= compared.merge(other);
            self.is_full |= compared.bytes() > self.limits.bytes;
        }
    }

    /// Marks the tally as over its memory limit.
    pub(super) fn set_full(&mut self) {
        self.is_full = true;
    }

    /// State of a `compare` leaf, and its memory limit.
    pub(super) fn comparison(&mut self) -> Option<(&mut ComparisonTally, usize)> {
        let max_bytes = self.limits.bytes;
        self.compared.as_mut().map(|compared| (compared, max_bytes))
    }
}
