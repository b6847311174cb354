//! Strictness of the parser.

/// Strictness of the parser.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Accepts only the syntax that Tempo accepts.
    Strict,
    /// Also accepts keys without a scope, `==`, `and`, `or`, `not`, single quotes, comparisons without a value, and
    /// comments that start with `#`. All except comments add a warning.
    #[default]
    Lenient,
}
