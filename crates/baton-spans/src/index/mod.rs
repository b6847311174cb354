//! Index logic shared by the head and blocks: the indexed values of a span, and the lookup of rows for a need.

mod atom;
mod counts;
mod decide;
mod find;
mod place;
mod sources;
mod table;
mod test;
mod union;

pub(crate) use atom::{Atom, Form, MAX_TEXT, cut, is_cut, kind_code, status_code};
pub(crate) use counts::Counts;
pub(crate) use decide::decide;
pub(crate) use find::{Found, Postings, rows_meeting};
pub(crate) use place::{Place, field_places, own};
pub(crate) use sources::Sources;
pub(crate) use table::{EachDuration, Held, Table, Wanted, mark};
pub(crate) use test::Test;
pub(crate) use union::Union;

/// Maximum number of distinct keys that a head indexes, for spans and for resources and scopes each; spans with further
/// keys are candidates of every attribute lookup.
pub(crate) const MAX_FIELDS: usize = 4096;

/// Maximum number of distinct keys that a block indexes.
pub(crate) const MAX_BLOCK_FIELDS: usize = 2 * MAX_FIELDS + 64;

/// Maximum number of indexed elements of a list.
pub(crate) const MAX_ELEMENTS: usize = 1024;

/// Maximum number of distinct values of a field that are counted.
pub(crate) const MAX_COUNTED: usize = 50_000;
