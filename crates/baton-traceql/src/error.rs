//! Why a query is none, or cannot be run.

/// Text that is no query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("parse error at line {line}, col {column}: {message}")]
pub struct ParseError {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What was wrong and what was expected: "expected a value after `=`".
    pub message: String,
}

/// A query that can be read but not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// It means something that is not supported.
    #[error("{what} is not supported in a search; {instead}")]
    Unsupported {
        /// What.
        what: String,
        /// What to do instead.
        instead: String,
    },
    /// It cannot mean anything: wrong types, a division by zero.
    #[error("{0}")]
    Invalid(String),
    /// Its answer takes more memory than one query may have.
    #[error("{0}; use a longer step, a shorter range, a narrower filter or fewer labels in by()")]
    TooLarge(String),
}
