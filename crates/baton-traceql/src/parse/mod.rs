//! Parser: tokens to a [`crate::Query`].
//!
//! Recursive descent for fixed forms, operator precedence for operands. `field.rs` parses expressions in braces,
//! `pipeline.rs` parses stages, `operand.rs` and `combine.rs` parse the operands between pipes, and `metrics.rs` parses
//! metrics functions.

mod combine;
mod cursor;
mod field;
mod hints;
mod metrics;
mod operand;
mod pipeline;
pub(crate) mod precedence;
mod query;
mod rules;

pub use query::{ParsedQuery, parse};
