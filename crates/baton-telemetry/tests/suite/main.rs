//! What this crate promises, seen from outside.

#![cfg(test)]

mod modes;
mod settings;
mod tracer;
