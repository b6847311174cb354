//! YAML and JSON with the location of every value, and readers that collect all errors instead of stopping at the
//! first.
//!
//! This crate must never read a file or know the meaning of a value: its users read their own formats with it.
//!
//! Read first: [`DocumentReader`] (reads a document and collects diagnostics), [`DocumentNode`] (a value with its
//! location), [`Diagnostic`] (an error or warning for the author of a file).

mod diagnostic;
mod fields;
mod json;
mod node;
mod units;
mod vectors;

pub use diagnostic::{Diagnostic, Severity};
pub use fields::{DocumentReader, Fields, LocatedValue};
pub use json::{read_json, read_json_lean};
pub use node::{DocumentNode, NodeEntry, NodeValue, SourceLocation, read, read_lean, utf8};
pub use units::{duration, size};
