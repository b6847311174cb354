//! Whether a value fits a JSON Schema, said so that a model can mend it.

mod check;
mod parts;

pub(crate) use check::check;
