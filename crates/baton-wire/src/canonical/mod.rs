//! Canonical JSON, as RFC 8785 has it: one text for all documents that say the same.
//!
//! Signatures are made over it, so nothing here may depend on how a library orders a map or prints a number.

mod text;
mod tree;

use baton_types::Json;
pub(crate) use tree::Tree;

/// Why a document has no canonical form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotCanonical {
    /// It is not JSON, or its text is not Unicode.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// Readers disagree about which of the two members counts.
    #[error("the member {0:?} is there twice")]
    Duplicate(String),
    /// No double is that large.
    #[error("the number {0} is too large")]
    NotFinite(String),
    /// It is nested deeper than Baton accepts anywhere.
    #[error("nested deeper than {} levels", baton_types::MAX_JSON_DEPTH)]
    TooDeep,
}

/// The canonical text: members in the order of their names' UTF-16 code units, numbers as ECMAScript prints doubles,
/// strings with as few escapes as can be, no white space.
pub fn canonical_json(json: &Json) -> Result<String, NotCanonical> {
    Ok(Tree::read(json.as_str())?.to_text())
}
