//! What this crate promises, seen from outside.

mod modes;
mod settings;
mod tracer;
