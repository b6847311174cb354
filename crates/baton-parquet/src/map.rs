//! A column that is a map: its keys and its values.

use crate::leaf::{Cell, Leaf};
use bytes::Bytes;

/// Keys and values of a map, one map a row.
pub(crate) struct MapColumn {
    pub(crate) keys: Leaf,
    pub(crate) values: Leaf,
    /// What a value that is there counts as: one more where values may be missing.
    present: i16,
}

impl MapColumn {
    /// Text, which may be missing.
    pub(crate) fn text() -> Self {
        Self { keys: Leaf::text(), values: Leaf::text(), present: 2 }
    }

    /// Numbers, which are there.
    pub(crate) fn numbers() -> Self {
        Self { keys: Leaf::text(), values: Leaf::number(), present: 1 }
    }

    /// A row.
    pub(crate) fn put(&mut self, entries: impl Iterator<Item = (Bytes, Option<Cell>)>) {
        let mut repetition = 0;
        for (key, value) in entries {
            self.keys.entry(Some(key.into()), 1, repetition);
            let definition = if value.is_some() { self.present } else { 1 };
            self.values.entry(value, definition, repetition);
            repetition = 1;
        }
        if repetition == 0 {
            self.keys.entry(None, 0, 0);
            self.values.entry(None, 0, 0);
        }
    }
}
