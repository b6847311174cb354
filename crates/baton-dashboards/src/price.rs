//! What tokens cost.

/// What a model's tokens cost, in dollars per million.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// The model as spans name it.
    pub model: String,
    /// For a million tokens that it reads.
    pub input: f64,
    /// For a million tokens that it writes.
    pub output: f64,
}
