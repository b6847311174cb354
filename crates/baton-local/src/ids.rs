//! Fresh identifiers.

use baton_ports::IdGenerator;
use uuid::Uuid;

/// UUIDs of version 7: never repeated, and later ones sort after earlier ones of the same process.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeOrderedIds;

impl IdGenerator for TimeOrderedIds {
    fn next_id(&self) -> String {
        Uuid::now_v7().to_string()
    }
}
