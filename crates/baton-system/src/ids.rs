//! New identifiers.

use baton_types::IdGenerator;
use uuid::Uuid;

/// UUIDs of version 7: unique, and sorted by creation time within a process.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeOrderedIds;

impl IdGenerator for TimeOrderedIds {
    fn next_id(&self) -> String {
        Uuid::now_v7().to_string()
    }
}
