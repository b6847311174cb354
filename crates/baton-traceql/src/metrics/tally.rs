//! What was counted so far.

use super::{
    cells::{Cells, Keeps, is_measurable},
    compared::Compared,
    exemplars::Exemplars,
    key,
    leaf::Leaf,
    limits::Limits,
    series::Exemplar,
};
use crate::QueryError;
use baton_types::Value;
use std::collections::HashMap;

/// What one leaf of a query has counted so far, in some part of all spans.
#[derive(Clone, Debug)]
pub struct Tally {
    pub(super) lines: Vec<Line>,
    pub(super) compared: Option<Compared>,
    pub(super) whole: bool,
    /// Whether something did not fit into [`Limits::bytes`].
    is_full: bool,
    keeps: Keeps,
    intervals: usize,
    limits: Limits,
    bytes: usize,
    groups: HashMap<Vec<u8>, Group>,
    key: Vec<u8>,
}

/// Spans with the same values of what a metrics function groups by, in one [`Tally`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group(usize);

/// What was counted of a group.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) values: Vec<Option<Value>>,
    pub(super) cells: Cells,
    pub(super) exemplars: Exemplars,
}

impl Tally {
    /// An empty one; a leaf that does not exist counts nothing, and so do its tallies.
    pub(super) fn new(leaf: Option<&Leaf>, intervals: usize, limits: Limits) -> Self {
        Self {
            lines: Vec::new(),
            compared: leaf.and_then(Leaf::compare).map(|_| Compared::new(intervals)),
            whole: true,
            is_full: false,
            keeps: leaf.map_or(Keeps::Counts, |leaf| Keeps::of(&leaf.first)),
            intervals,
            limits,
            bytes: 0,
            groups: HashMap::new(),
            key: Vec::new(),
        }
    }

    /// The group with these values, one for each field of [`super::Direct::by`]; none when there are too many already:
    /// then whatever belongs to it is left out, and the answer says so.
    pub fn group(&mut self, values: &[Option<Value>]) -> Option<Group> {
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        // A series without labels would have no name: spans that have none of the values are told apart by `nil`.
        let nameless = !values.is_empty() && values.iter().all(Option::is_none);
        let nil = nameless.then(|| Value::from("nil"));
        let named = |index: usize| values[index].as_ref().or(nil.as_ref().filter(|_| index == 0));
        (0..values.len()).for_each(|index| key::write(named(index), &mut key));
        let known = self.groups.get(&key).copied();
        let group = known.or_else(|| {
            let bytes = 2 * key.len() + size_of::<Line>() + self.intervals * self.keeps.bytes();
            if self.lines.len() >= self.limits.series {
                self.whole = false;
                return None;
            }
            if self.bytes + bytes > self.limits.bytes {
                self.is_full = true;
                return None;
            }
            self.bytes += bytes;
            let group = Group(self.lines.len());
            self.lines.push(Line {
                values: (0..values.len()).map(|index| named(index).cloned()).collect(),
                cells: Cells::new(self.keeps, self.intervals),
                exemplars: Exemplars::default(),
            });
            self.groups.insert(key.clone(), group);
            Some(group)
        });
        self.key = key;
        group
    }

    /// Counts a span, or one of the numbers that it has: as the field says it, durations in nanoseconds. Functions that
    /// only count spans do not look at the number.
    pub fn add(&mut self, group: Group, interval: usize, value: f64) {
        self.add_many(group, interval, value, 1);
    }

    /// Counts several with the same number.
    pub fn add_many(&mut self, group: Group, interval: usize, value: f64, times: u64) {
        if self.bytes > self.limits.bytes {
            self.is_full = true;
            return;
        }
        if let Some(line) = self.lines.get_mut(group.0) {
            self.bytes += line.cells.add(interval, value, times);
        }
    }

    /// Counts several numbers of one interval, each as [`Tally::add`] does.
    pub fn add_each(&mut self, group: Group, interval: usize, values: &[f64]) {
        if self.bytes > self.limits.bytes {
            self.is_full = true;
            return;
        }
        if let Some(line) = self.lines.get_mut(group.0) {
            self.bytes += line.cells.add_each(interval, values);
        }
    }

    /// Whether the group has fewer spans that stand for others than are asked for.
    pub fn wants_exemplar(&self, group: Group) -> bool {
        self.lines.get(group.0).is_some_and(|line| line.exemplars.len() < self.limits.exemplars)
    }

    /// Lets a span stand for others, with its number as [`Tally::add`] takes it; there is a choice, so more can be
    /// given than are kept.
    pub fn add_exemplar(&mut self, group: Group, exemplar: Exemplar) {
        let measured = self.keeps == Keeps::Counts || is_measurable(exemplar.value);
        if let Some(line) = self.lines.get_mut(group.0).filter(|_| measured && self.limits.exemplars > 0) {
            self.bytes += line.exemplars.add(exemplar, self.limits.exemplars);
        }
    }

    /// Fails once the tally takes more memory than it may. Whoever fills a tally asks often: what comes after is in vain.
    pub fn check_room(&self) -> Result<(), QueryError> {
        if !self.is_full {
            return Ok(());
        }
        Err(QueryError::TooLarge(format!("the query keeps more than {} bytes while counting", self.limits.bytes)))
    }

    /// Takes what another tally of the same leaf has counted of other spans.
    pub fn merge(&mut self, other: Self) {
        self.whole &= other.whole;
        self.is_full |= other.is_full;
        for line in other.lines {
            if self.bytes > self.limits.bytes {
                self.is_full = true;
                break;
            }
            let Some(group) = self.group(&line.values) else { continue };
            let most = self.limits.exemplars;
            if let Some(known) = self.lines.get_mut(group.0) {
                self.bytes += known.cells.merge(line.cells);
                self.bytes += known.exemplars.merge(line.exemplars, most);
            }
        }
        if let (Some(compared), Some(other)) = (&mut self.compared, other.compared) {
            self.whole &= compared.merge(other);
            self.is_full |= compared.bytes() > self.limits.bytes;
        }
    }

    /// Notes that something did not fit.
    pub(super) fn set_full(&mut self) {
        self.is_full = true;
    }

    /// What a comparison has counted, and how much it may hold.
    pub(super) fn comparing(&mut self) -> Option<(&mut Compared, usize)> {
        let most = self.limits.bytes;
        self.compared.as_mut().map(|compared| (compared, most))
    }
}
