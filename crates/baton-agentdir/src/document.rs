//! YAML and JSON with the location of every value, and readers that collect all errors instead of stopping at the
//! first.

mod fields;
mod json;
mod node;
mod units;
mod vectors;

pub use fields::{DocumentReader, Fields, LocatedValue};
pub use json::{read_json, read_json_lean};
pub use node::{DocumentNode, NodeEntry, NodeValue, SourceLocation, read, read_lean, utf8};
pub use units::{duration, size};
