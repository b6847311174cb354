//! Export of spans to Parquet files, for DuckDB, pandas and other readers.
//!
//! Every span is one row without loss of data: common attributes have typed columns, and all attributes are in map
//! columns. This crate must never hold more rows in memory than one row group, never expose an incomplete file, and
//! never decide which spans are written.
//!
//! Read first: [`SpanFile`] (the writer), [`ATTRIBUTE_COLUMNS`] (attributes with their own columns).

mod file;
mod known;
mod leaf;
mod map;
mod rows;
mod schema;
mod words;

pub use file::{SpanFile, SpanFileStats, WriteError};
pub use known::{ATTRIBUTE_COLUMNS, AttributeColumn, ColumnKind};
pub use schema::schema;
