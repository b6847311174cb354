//! Text becomes a [`crate::Query`].
//!
//! Recursive descent for what has one form, operator precedence for what has operands. `field.rs` reads what stands in
//! braces, `pipeline.rs` stages, `operand.rs` and `combine.rs` what stands between pipes, `metrics.rs` the functions
//! that end a metrics query.

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

pub use query::{Parsed, parse};
