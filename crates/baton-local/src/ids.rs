//! Fresh identifiers.

use baton_ports::Ids;
use uuid::Uuid;

/// UUIDs of version 7: never repeated, and later ones sort after earlier ones of the same process.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimeOrderedIds;

impl Ids for TimeOrderedIds {
    fn fresh(&self) -> String {
        Uuid::now_v7().to_string()
    }
}
