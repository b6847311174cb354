//! Counts of the values of a field.

use super::{Atom, AtomKind, MAX_COUNTED, atom::may_be_truncated};
use baton_types::SpanValue;
use std::{cmp::Reverse, collections::BTreeMap};

/// Values with the number of spans that have them; at most [`MAX_COUNTED`] distinct ones.
#[derive(Default)]
pub(crate) struct ValueCounts {
    by_value: BTreeMap<(AtomKind, Vec<u8>), u64>,
}

impl ValueCounts {
    /// Adds spans that have a value; truncated text is skipped, because no query can ask for it.
    pub(crate) fn add(&mut self, form: AtomKind, value: &[u8], spans: u64) {
        if spans == 0 || (form == AtomKind::Text && std::str::from_utf8(value).is_ok_and(may_be_truncated)) {
            return;
        }
        if let Some(count) = self.by_value.get_mut(&(form, value.to_vec())) {
            *count += spans;
        } else if !self.is_full() {
            self.by_value.insert((form, value.to_vec()), spans);
        }
    }

    /// Whether further values would be dropped.
    pub(crate) fn is_full(&self) -> bool {
        self.by_value.len() >= MAX_COUNTED
    }

    /// The most frequent values.
    pub(crate) fn finish(self, key: &str, of_span: bool, limit: usize) -> Vec<(SpanValue, u64)> {
        let mut all: Vec<_> = self.by_value.into_iter().collect();
        all.sort_by_key(|(_, count)| Reverse(*count));
        let shown = |((form, bytes), count): ((AtomKind, Vec<u8>), u64)| {
            Atom::read(form, &bytes).map(|atom| (atom.display_value(key, of_span), count))
        };
        all.into_iter().take(limit).filter_map(shown).collect()
    }
}
