//! Parse errors and query errors.

/// The text is not a valid query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("parse error at line {line}, col {column}: {message}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Cause and expectation: "expected a value after `=`".
    pub message: String,
}

/// The query parses but cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// Unsupported construct.
    #[error("{construct} is not supported in a search; {instead}")]
    Unsupported {
        /// The construct.
        construct: String,
        /// The alternative.
        instead: String,
    },
    /// Invalid query: wrong types, a division by zero.
    #[error("{0}")]
    Invalid(String),
    /// The result exceeds the memory limit of a query.
    #[error("{0}; use a longer step, a shorter range, a narrower filter or fewer labels in by()")]
    TooLarge(String),
}
