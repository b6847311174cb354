//! Index logic shared by the head and blocks: the indexed values of a span, and the lookup of rows for a need.

mod atom;
mod counts;
mod decide;
mod find;
mod location;
mod parents;
mod predicate;
mod sources;
mod table;
mod union;

pub(crate) use atom::{Atom, AtomKind, MAX_TEXT_LEN, kind_code, may_be_truncated, status_code, truncate_text};
pub(crate) use counts::ValueCounts;
pub(crate) use decide::evaluate_filter;
pub(crate) use find::{Postings, RowCandidates, candidate_rows};
pub(crate) use location::{ValueLocation, field_locations, own};
pub(crate) use parents::{RowParents, append_parent_codes};
pub(crate) use predicate::IndexPredicate;
pub(crate) use sources::FieldSources;
pub(crate) use table::{DurationVisitor, PredicateRows, RowSelection, RowTable, span_id_hash};
pub(crate) use union::RowUnion;

/// Maximum number of distinct keys that a head indexes, for spans and for resources and scopes each; spans with further
/// keys are candidates of every attribute lookup.
pub(crate) const MAX_FIELDS: usize = 4096;

/// Maximum number of distinct keys that a block indexes.
pub(crate) const MAX_BLOCK_FIELDS: usize = 2 * MAX_FIELDS + 64;

/// Maximum number of indexed elements of a list.
pub(crate) const MAX_ELEMENTS: usize = 1024;

/// Maximum number of distinct values of a field that are counted.
pub(crate) const MAX_COUNTED: usize = 50_000;
