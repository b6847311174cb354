//! Spans as a Parquet file: a table that DuckDB, pandas and whatever else reads Parquet can take up.
//!
//! Every span is one row, and nothing that it says is lost: what many spans say has a column with a type, everything is in
//! the maps beside them. This crate must never hold more rows in memory than one row group has, never show a file that is
//! not whole, and never decide which spans are written.
//!
//! Read first: [`SpanFile`] (spans in, a file out), [`KNOWN`] (the attributes with columns of their own).

mod file;
mod known;
mod leaf;
mod map;
mod rows;
mod schema;
mod words;

pub use file::{SpanFile, WriteError, Written};
pub use known::{KNOWN, Kind, Known};
pub use schema::schema;
