//! The rules of this repository as checks: dependencies between crates, file lengths, the documentation that every
//! error and every crate needs, and the paths and symbols that the design pages name.
//!
//! This crate must never be used by another one, and a check must never read the disk itself: it takes the repository
//! as values, so that a test can show that it fails when it should.
//!
//! Read first: [`Tree`] (the repository's text), [`layers`] (allowed dependencies), [`Violation`] (the result of a
//! check).

pub mod a2a_errors;
pub mod architecture;
pub mod crate_docs;
pub mod decisions;
pub mod duplicates;
pub mod error_codes;
pub mod error_pages;
pub mod fan_out;
pub mod figures;
pub mod layers;
pub mod links;
pub mod machine_paths;
pub mod names;
pub mod output;
pub mod prose;
pub mod purity;
pub mod routes;
pub mod size;
mod source;
pub mod test_binaries;
pub mod test_habits;
mod tree;
pub mod walks;
mod word_forms;

pub use tree::Tree;

use std::fmt;

/// A violated rule and its location.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The file, line or crate concerned.
    pub location: String,
    /// Description of the problem and its fix.
    pub rule: String,
}

impl Violation {
    /// Creates a violation.
    pub fn new(location: impl Into<String>, rule: impl Into<String>) -> Self {
        Self { location: location.into(), rule: rule.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.rule)
    }
}
