//! Groups rows by the values of the grouping fields.

use crate::{
    index::{Atom, AtomKind, FieldSources, RowSelection, RowTable, ValueLocation, may_be_truncated, own},
    search::budget::{MemoryReservation, QueryBudget},
};
use baton_span_ports::SpanStoreError;
use baton_traceql::{Field, Intrinsic, Literal};
use baton_types::SpanValue;
use roaring::RoaringBitmap;
use std::{collections::HashMap, ops::ControlFlow};

/// Maximum number of groups per segment; no result has room for as many.
const MAX_GROUPS: usize = 1 << 16;
/// Maximum number of pairs of groups for a dense lookup table.
const MAX_DENSE_PAIRS: usize = 1 << 22;
/// Number of values between two deadline checks.
const DEADLINE_CHECK_INTERVAL: usize = 1_024;

/// Rows by group.
pub(super) struct RowGroups {
    first: u32,
    of_row: Vec<u32>,
    /// The values of each group.
    pub(super) values: Vec<Vec<Option<SpanValue>>>,
    /// Whether rows were left out for lack of time or memory.
    pub(super) partial: bool,
}

impl RowGroups {
    /// All rows in one group.
    pub(super) fn new(selection: &RowSelection) -> Self {
        let of_row = vec![0; selection.rows.len()];
        Self { first: selection.rows.start, of_row, values: vec![Vec::new()], partial: false }
    }

    /// The group of a row.
    pub(super) fn group_of(&self, row: u32) -> usize {
        self.of_row[(row - self.first) as usize] as usize
    }

    /// Splits the groups by the values of a field. Rows that the index cannot decide are moved from `wanted` to
    /// `unsure`.
    pub(super) fn split_by_field(
        &mut self,
        table: &dyn RowTable,
        (field, sources): (&Field, &FieldSources<'_>),
        selection: &mut RowSelection,
        unsure: &mut RoaringBitmap,
        (budget, room): (&QueryBudget, &mut MemoryReservation<'_>),
    ) -> Result<(), SpanStoreError> {
        let mut labels = RowLabels {
            first: self.first,
            of_row: vec![0; self.of_row.len()],
            values: vec![sources.default_text.map(SpanValue::from)],
            known: HashMap::new(),
            bytes: 0,
        };
        let (mut cut, mut dropped) = (Vec::new(), Vec::new());
        let (mut looked, mut full) = (0, None);
        each_first_value(table, sources, selection, &mut |location, key, atom, rows| {
            looked += 1;
            if looked % DEADLINE_CHECK_INTERVAL == 0 {
                if budget.is_expired() {
                    self.partial = true;
                    return ControlFlow::Break(());
                }
                full = room.grow(std::mem::take(&mut labels.bytes)).err();
                if full.is_some() {
                    return ControlFlow::Break(());
                }
            }
            if matches!(atom, Atom::Text(text) if may_be_truncated(text)) {
                cut.extend_from_slice(rows);
            } else if !labels.add(atom, rows, || label_value(field, location, key, atom)) {
                dropped.extend_from_slice(rows);
            }
            ControlFlow::Continue(())
        })?;
        if let Some(error) = full {
            return Err(error);
        }
        self.partial |= !dropped.is_empty();
        dropped.into_iter().for_each(|row| selection.set(row, false));
        for row in cut {
            selection.set(row, false);
            unsure.insert(row);
        }
        self.combine(labels, selection);
        Ok(())
    }

    fn combine(&mut self, labels: RowLabels, selection: &mut RowSelection) {
        if self.values.len() == 1 {
            let before = self.values.pop().unwrap_or_default();
            let with = |label| before.iter().cloned().chain([label]).collect();
            self.values = labels.values.into_iter().map(with).collect();
            self.of_row = labels.of_row;
            return;
        }
        let (before, label_count) = (std::mem::take(&mut self.values), labels.values.len());
        let mut pairs = PairNumbers::new(before.len() * label_count);
        let mut dropped = Vec::new();
        selection.each(|row| {
            let at = (row - self.first) as usize;
            let (group, label) = (self.of_row[at] as usize, labels.of_row[at] as usize);
            let number = pairs.number(group * label_count + label, || {
                if self.values.len() == MAX_GROUPS {
                    return None;
                }
                let label = labels.values[label].clone();
                self.values.push(before[group].iter().cloned().chain([label]).collect());
                Some(self.values.len() as u32 - 1)
            });
            match number {
                Some(number) => self.of_row[at] = number,
                None => dropped.push(row),
            }
        });
        self.partial |= !dropped.is_empty();
        dropped.into_iter().for_each(|row| selection.set(row, false));
        if self.values.is_empty() {
            // No row is left; one empty group remains for further splits.
            self.values.push(Vec::new());
        }
    }
}

/// Receives the location of a value, the value, and the rows that have it.
type FieldValueVisitor<'f> = &'f mut dyn FnMut(ValueLocation, &str, Atom<'_>, &[u32]) -> ControlFlow<()>;

/// Passes the values of a field to the callback with the selected rows that have them: for each row those of the first
/// location that has some.
pub(super) fn each_first_value(
    table: &dyn RowTable,
    sources: &FieldSources<'_>,
    selection: &RowSelection,
    each: FieldValueVisitor<'_>,
) -> Result<(), SpanStoreError> {
    let mut left: Option<RowSelection> = None;
    for (number, (location, key)) in sources.locations.iter().enumerate() {
        let mut flow = ControlFlow::Continue(());
        table.each_value(*location, key, left.as_ref().unwrap_or(selection), &mut |atom, rows| {
            flow = each(*location, key, atom, rows);
            flow
        })?;
        if flow.is_break() || number + 1 == sources.locations.len() {
            break;
        }
        let present = table.present(*location, key)?;
        if !present.is_empty() {
            left = Some(left.as_ref().unwrap_or(selection).without(&present));
        }
    }
    Ok(())
}

/// The value as displayed in a label.
fn label_value(field: &Field, location: ValueLocation, key: &str, atom: Atom<'_>) -> SpanValue {
    match (field, atom) {
        (Field::Intrinsic(Intrinsic::Duration), Atom::Int(nanoseconds)) if key == own::DURATION => {
            SpanValue::from(Literal::Duration(nanoseconds).to_string())
        }
        _ => atom.display_value(key, location == ValueLocation::Own),
    }
}

/// Numbered values, and the number of each row; 0 for rows without a value.
struct RowLabels {
    first: u32,
    of_row: Vec<u32>,
    values: Vec<Option<SpanValue>>,
    known: HashMap<(AtomKind, Vec<u8>), u32>,
    /// Bytes of values that are not reserved in the budget yet.
    bytes: usize,
}

impl RowLabels {
    /// Assigns a value to rows; false if there are too many values.
    fn add(&mut self, atom: Atom<'_>, rows: &[u32], value: impl FnOnce() -> SpanValue) -> bool {
        let key = (atom.form(), atom.bytes());
        let number = match self.known.get(&key) {
            Some(number) => *number,
            None if self.values.len() == MAX_GROUPS => return false,
            None => {
                let number = self.values.len() as u32;
                self.bytes += 2 * key.1.len() + size_of::<(SpanValue, AtomKind, Vec<u8>, u32)>();
                self.values.push(Some(value()));
                self.known.insert(key, number);
                number
            }
        };
        rows.iter().for_each(|row| self.of_row[(row - self.first) as usize] = number);
        true
    }
}

/// Numbers of pairs, usually looked up without hashing.
enum PairNumbers {
    Dense(Vec<u32>),
    Sparse(HashMap<usize, u32>),
}

const NO_NUMBER: u32 = u32::MAX;

impl PairNumbers {
    fn new(pairs: usize) -> Self {
        if pairs <= MAX_DENSE_PAIRS { Self::Dense(vec![NO_NUMBER; pairs]) } else { Self::Sparse(HashMap::new()) }
    }

    fn number(&mut self, pair: usize, new: impl FnOnce() -> Option<u32>) -> Option<u32> {
        match self {
            Self::Dense(numbers) => {
                let number = numbers.get_mut(pair)?;
                if *number == NO_NUMBER {
                    *number = new()?;
                }
                Some(*number)
            }
            Self::Sparse(numbers) => {
                if let Some(number) = numbers.get(&pair) {
                    return Some(*number);
                }
                let number = new()?;
                numbers.insert(pair, number);
                Some(number)
            }
        }
    }
}
