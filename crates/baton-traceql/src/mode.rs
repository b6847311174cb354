//! How much is forgiven when a query is read.

/// How much is forgiven when a query is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Only what Tempo accepts.
    Strict,
    /// Also keys without a scope, `==`, `and`, `or`, `not`, single quotes, comparisons without a value, and comments
    /// that begin with `#`; each but the last is a warning.
    #[default]
    Lenient,
}
