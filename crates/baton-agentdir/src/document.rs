//! YAML and JSON with the place of every value, and readers that collect every mistake instead of stopping at the first.

mod fields;
mod json;
mod node;
mod units;

pub use fields::{Fields, Located, Reader};
pub use json::read_json;
pub use node::{Entry, Node, Place, Value, read, utf8};
pub use units::{duration, size};
