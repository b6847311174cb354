//! Token prices.

/// Token prices of a model, in dollars per million.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// Model name, as in spans.
    pub model: String,
    /// Price of a million input tokens.
    pub input: f64,
    /// Price of a million output tokens.
    pub output: f64,
}
