//! JSON Schema validation with error messages that a model can act on.

mod check;
mod parts;

pub(crate) use check::check;
