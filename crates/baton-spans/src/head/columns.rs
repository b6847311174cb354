//! Attribute values by key, in order of arrival.
//!
//! Nothing is sorted here: scanning a head takes microseconds, and adding a value only appends to a list.

use super::{
    dictionary::TextDictionary,
    heap::{map_bytes, vec_bytes},
};
use crate::index::{Atom, IndexPredicate, MAX_FIELDS, MAX_TEXT_LEN, ValueLocation, may_be_truncated, truncate_text};
use foldhash::quality::RandomState;
use std::collections::HashMap;

/// Values of one type with the entries that have them, by entry.
pub(crate) struct ColumnPairs<T> {
    pub(crate) entries: Vec<u32>,
    pub(crate) values: Vec<T>,
}

impl<T: Copy> ColumnPairs<T> {
    fn new() -> Self {
        Self { entries: Vec::new(), values: Vec::new() }
    }

    fn push(&mut self, entry: u32, value: T) {
        self.entries.push(entry);
        self.values.push(value);
    }

    fn bytes(&self) -> usize {
        vec_bytes(&self.entries) + vec_bytes(&self.values)
    }

    fn select(&self, into: &mut Vec<u32>, keep: impl Fn(T) -> bool) {
        for (entry, value) in self.entries.iter().zip(&self.values) {
            if keep(*value) {
                into.push(*entry);
            }
        }
    }
}

/// All values of one key in one location.
pub(crate) struct HeadColumn {
    pub(crate) location: ValueLocation,
    pub(crate) key: Box<str>,
    pub(crate) dictionary: TextDictionary,
    pub(crate) texts: ColumnPairs<u32>,
    pub(crate) ints: ColumnPairs<i64>,
    pub(crate) floats: ColumnPairs<f64>,
    pub(crate) bools: ColumnPairs<bool>,
    /// Entries with a value that cannot be compared.
    pub(crate) incomparable: Vec<u32>,
    /// Entries that do not have exactly one scalar value: a list, or a repeated key.
    pub(crate) not_single: Vec<u32>,
    /// The last entry.
    last: Option<u32>,
}

impl HeadColumn {
    fn new(location: ValueLocation, key: &str) -> Self {
        Self {
            location,
            key: key.into(),
            dictionary: TextDictionary::new(),
            texts: ColumnPairs::new(),
            ints: ColumnPairs::new(),
            floats: ColumnPairs::new(),
            bools: ColumnPairs::new(),
            incomparable: Vec::new(),
            not_single: Vec::new(),
            last: None,
        }
    }

    /// The number of a text; `None` if it cannot be indexed. Usually the text equals the previous one.
    fn number(&mut self, text: &[u8], state: &RandomState) -> Option<u32> {
        match self.texts.values.last() {
            Some(last) if self.dictionary.text(*last).as_bytes() == text => Some(*last),
            _ => self.dictionary.intern(text, state),
        }
    }

    /// Records that an entry has a value.
    fn record_entry(&mut self, entry: u32) {
        if self.last.replace(entry) == Some(entry) {
            push_once(&mut self.not_single, entry);
        }
    }

    fn bytes(&self) -> usize {
        self.key.len()
            + self.dictionary.bytes()
            + self.texts.bytes()
            + self.ints.bytes()
            + self.floats.bytes()
            + self.bools.bytes()
            + vec_bytes(&self.incomparable)
            + vec_bytes(&self.not_single)
    }

    /// Entries for which the predicate may hold, unordered, with duplicates.
    pub(crate) fn find(&self, test: &IndexPredicate, state: &RandomState) -> Vec<u32> {
        let mut found = self.incomparable.clone();
        if let Some(text) = test.text() {
            if let Some(number) = self.dictionary.number(text, state) {
                self.texts.select(&mut found, |value| value == number);
            }
            return found;
        }
        if self.dictionary.len() > 0 {
            let holds: Vec<bool> = (0..self.dictionary.len())
                .map(|number| test.holds(Atom::Text(self.dictionary.text(number as u32))))
                .collect();
            self.texts.select(&mut found, |value| holds[value as usize]);
        }
        self.ints.select(&mut found, |value| test.holds(Atom::Int(value)));
        self.floats.select(&mut found, |value| test.holds(Atom::Float(value)));
        self.bools.select(&mut found, |value| test.holds(Atom::Bool(value)));
        found
    }

    /// Entries with a value for which the predicate certainly holds, and entries for which it may hold, unordered, with
    /// duplicates; values that cannot be compared are in neither.
    pub(crate) fn matches(&self, test: &IndexPredicate, state: &RandomState) -> (Vec<u32>, Vec<u32>) {
        let (mut surely, mut perhaps) = (Vec::new(), Vec::new());
        let mut texts = |number: u32| {
            let into = if may_be_truncated(self.dictionary.text(number)) { &mut perhaps } else { &mut surely };
            self.texts.select(into, |value| value == number);
        };
        if let Some(text) = test.text() {
            self.dictionary.number(text, state).into_iter().for_each(&mut texts);
            return (surely, perhaps);
        }
        if self.dictionary.len() > 0 {
            let holds = |number: usize| {
                let text = self.dictionary.text(number as u32);
                (test.holds(Atom::Text(text)), may_be_truncated(text))
            };
            let holds: Vec<(bool, bool)> = (0..self.dictionary.len()).map(holds).collect();
            self.texts.select(&mut surely, |value| holds[value as usize] == (true, false));
            self.texts.select(&mut perhaps, |value| holds[value as usize] == (true, true));
        }
        self.ints.select(&mut surely, |value| test.holds(Atom::Int(value)));
        self.floats.select(&mut surely, |value| test.holds(Atom::Float(value)));
        self.bools.select(&mut surely, |value| test.holds(Atom::Bool(value)));
        (surely, perhaps)
    }

    /// Entries with any value, unordered, with duplicates.
    pub(crate) fn present(&self) -> Vec<u32> {
        let lists =
            [&self.texts.entries, &self.ints.entries, &self.floats.entries, &self.bools.entries, &self.incomparable];
        lists.into_iter().flatten().copied().collect()
    }
}

/// The columns of one kind of entry: spans, or resources and scopes.
pub(crate) struct HeadColumns {
    pub(crate) columns: Vec<HeadColumn>,
    by_key: [HashMap<Box<str>, u32, RandomState>; ValueLocation::COUNT],
    /// For each column its last successor: attributes of spans often come in the same order.
    after: Vec<u32>,
    last: usize,
    /// Entries with a key that has no column.
    pub(crate) unindexed: Vec<u32>,
    state: RandomState,
}

impl HeadColumns {
    /// No columns.
    pub(crate) fn new() -> Self {
        Self {
            columns: Vec::new(),
            by_key: std::array::from_fn(|_| HashMap::default()),
            after: Vec::new(),
            last: 0,
            unindexed: Vec::new(),
            state: RandomState::default(),
        }
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let keys: usize = self.columns.iter().map(|column| column.key.len()).sum();
        vec_bytes(&self.columns)
            + self.columns.iter().map(HeadColumn::bytes).sum::<usize>()
            + self.by_key.iter().map(map_bytes).sum::<usize>()
            + keys
            + vec_bytes(&self.after)
            + vec_bytes(&self.unindexed)
    }

    /// Hash state for texts.
    pub(crate) fn state(&self) -> &RandomState {
        &self.state
    }

    /// The column of a key, if there is one.
    pub(crate) fn get(&self, location: ValueLocation, key: &str) -> Option<&HeadColumn> {
        let number = self.by_key[location as usize].get(key)?;
        self.columns.get(*number as usize)
    }

    /// The column of a key, added if necessary; `None` if the key is not indexed, which is recorded for the entry.
    pub(crate) fn column(&mut self, location: ValueLocation, key: &[u8], entry: u32) -> Option<usize> {
        if let Some(guess) = self.after.get(self.last) {
            let guess = *guess as usize;
            if let Some(column) = self.columns.get(guess)
                && column.location == location
                && column.key.as_bytes() == key
            {
                self.last = guess;
                return Some(guess);
            }
        }
        // Keys have been encoded from texts.
        let key = std::str::from_utf8(key).unwrap_or_default();
        let number = match self.by_key[location as usize].get(key) {
            Some(number) => *number,
            // Intrinsics are always indexed, because their lookup ignores unindexed keys.
            None if location.scope().is_some() && (self.columns.len() >= MAX_FIELDS || key.len() > MAX_TEXT_LEN) => {
                if self.unindexed.last() != Some(&entry) {
                    self.unindexed.push(entry);
                }
                return None;
            }
            None => {
                let number = self.columns.len() as u32;
                self.by_key[location as usize].insert(key.into(), number);
                self.columns.push(HeadColumn::new(location, key));
                self.after.push(number);
                number
            }
        };
        if let Some(after) = self.after.get_mut(self.last) {
            *after = number;
        }
        self.last = number as usize;
        Some(self.last)
    }

    /// Adds a value of an entry.
    pub(crate) fn push(&mut self, column: usize, entry: u32, value: Atom<'_>) {
        if let Atom::Text(text) = value {
            return self.push_text(column, entry, text.as_bytes());
        }
        let Some(column) = self.columns.get_mut(column) else { return };
        column.record_entry(entry);
        match value {
            Atom::Text(_) => {}
            Atom::Int(number) => column.ints.push(entry, number),
            Atom::Float(number) => column.floats.push(entry, number),
            Atom::Bool(flag) => column.bools.push(entry, flag),
        }
    }

    /// Adds a text of an entry.
    pub(crate) fn push_text(&mut self, column: usize, entry: u32, text: &[u8]) {
        let Some(column) = self.columns.get_mut(column) else { return };
        column.record_entry(entry);
        let text = match text.len() > MAX_TEXT_LEN {
            true => truncate_text(std::str::from_utf8(text).unwrap_or_default()).as_bytes(),
            false => text,
        };
        match column.number(text, &self.state) {
            Some(number) => column.texts.push(entry, number),
            None => push_once(&mut column.incomparable, entry),
        }
    }

    /// Records that an entry has a value that cannot be compared.
    pub(crate) fn push_incomparable(&mut self, column: usize, entry: u32) {
        if let Some(column) = self.columns.get_mut(column) {
            column.record_entry(entry);
            push_once(&mut column.incomparable, entry);
        }
    }

    /// Records that an entry has a list, however short.
    pub(crate) fn push_not_single(&mut self, column: usize, entry: u32) {
        if let Some(column) = self.columns.get_mut(column) {
            push_once(&mut column.not_single, entry);
        }
    }
}

fn push_once(list: &mut Vec<u32>, entry: u32) {
    if list.last() != Some(&entry) {
        list.push(entry);
    }
}
