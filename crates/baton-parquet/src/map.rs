//! Map columns.

use crate::leaf::{ColumnCell, LeafColumn};
use bytes::Bytes;

/// Keys and values of a map column, one map per row.
pub(crate) struct MapColumn {
    pub(crate) keys: LeafColumn,
    pub(crate) values: LeafColumn,
    /// Definition level of a present value: one higher if values are optional.
    present: i16,
}

impl MapColumn {
    /// Optional text values.
    pub(crate) fn text() -> Self {
        Self { keys: LeafColumn::text(), values: LeafColumn::text(), present: 2 }
    }

    /// Required numeric values.
    pub(crate) fn numbers() -> Self {
        Self { keys: LeafColumn::text(), values: LeafColumn::number(), present: 1 }
    }

    /// Adds a row.
    pub(crate) fn put(&mut self, entries: impl Iterator<Item = (Bytes, Option<ColumnCell>)>) {
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
