//! Export of spans to Parquet files, for DuckDB, pandas and other readers.
//!
//! Every span is one row without loss of data: common attributes have typed columns, and all attributes are in map
//! columns. This crate must never hold more rows in memory than one row group, never expose an incomplete file, and
//! never decide which spans are written.
//!
//! Read first: [`SpanFile`] (the writer), [`ATTRIBUTE_COLUMNS`] (attributes with their own columns).

mod attribute_column;
mod file;
mod leaf;
mod map;
mod rows;
mod schema;
mod value_text;

pub use attribute_column::{ATTRIBUTE_COLUMNS, AttributeColumn, ColumnKind};
pub use file::{SpanFile, SpanFileStats, WriteError};
pub use schema::schema;
