//! What the head and blocks have in common: what of a span is indexed, and how a need becomes rows.

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

/// Most different keys that a head indexes of spans, and of what they share; spans with others are found by every
/// question.
pub(crate) const MAX_FIELDS: usize = 4096;

/// Most different keys that a block indexes.
pub(crate) const MAX_BLOCK_FIELDS: usize = 2 * MAX_FIELDS + 64;

/// Most elements of a list that are indexed.
pub(crate) const MAX_ELEMENTS: usize = 1024;

/// Most different values of a field that are counted when somebody asks which there are.
pub(crate) const MAX_COUNTED: usize = 50_000;
