//! Canonical JSON (RFC 8785): one text for all equivalent documents.
//!
//! Signatures are computed over it, so the output must not depend on the map order or number formatting of a library.

mod text;
mod tree;

pub use tree::CanonicalValue;

/// Maximum nesting depth of a document.
pub const MAX_CANONICAL_DEPTH: usize = 100;

/// Reason that a document has no canonical form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CanonicalJsonError {
    /// The document is not JSON, or its text is not Unicode.
    #[error("not JSON: {0}")]
    NotJson(String),
    /// A member occurs twice; parsers disagree about which one counts.
    #[error("duplicate member {0:?}")]
    Duplicate(String),
    /// The number exceeds the range of a double.
    #[error("the number {0} is too large")]
    NotFinite(String),
    /// The document exceeds the maximum nesting depth.
    #[error("nested deeper than {} levels", MAX_CANONICAL_DEPTH)]
    TooDeep,
}

/// The canonical text: members ordered by the UTF-16 code units of their names, numbers as ECMAScript prints doubles,
/// strings with minimal escaping, no white space.
pub fn canonical_json(json: &str) -> Result<String, CanonicalJsonError> {
    Ok(CanonicalValue::read(json)?.to_text())
}
