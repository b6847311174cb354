//! Schema and encoding of the columns.

use crate::attribute_column::{ATTRIBUTE_COLUMNS, ColumnKind};
use parquet::{
    basic::{Compression, Encoding, ZstdLevel},
    errors::Result,
    file::properties::{EnabledStatistics, WriterProperties},
    schema::{
        parser::parse_message_type,
        types::{ColumnPath, Type},
    },
};
use std::{fmt::Write as _, sync::Arc};

const FIRST: &str = "
  required binary trace_id (STRING);
  required binary span_id (STRING);
  optional binary parent_span_id (STRING);
  required binary name (STRING);
  required binary kind (STRING);
  required binary status (STRING);
  required binary status_message (STRING);
  required int64 start (TIMESTAMP(NANOS,true));
  required int64 start_unix_ns;
  required int64 duration_ns;
  optional binary service_name (STRING);
  required binary scope_name (STRING);
  required binary scope_version (STRING);
  required binary trace_state (STRING);
";

const LAST: &str = "
  required group resource_attributes (MAP) {
    repeated group key_value { required binary key (STRING); optional binary value (STRING); }
  }
  required group attributes (MAP) {
    repeated group key_value { required binary key (STRING); optional binary value (STRING); }
  }
  required group attribute_numbers (MAP) {
    repeated group key_value { required binary key (STRING); required double value; }
  }
  optional binary events (STRING);
  optional binary links (STRING);
";

/// The columns of a file in Parquet schema syntax.
pub fn schema() -> String {
    let mut message = format!("message spans {{{FIRST}");
    for known in ATTRIBUTE_COLUMNS {
        let (kind, note) = match known.kind {
            ColumnKind::Text => ("binary", " (STRING)"),
            ColumnKind::Whole => ("int64", ""),
            ColumnKind::Number => ("double", ""),
        };
        let _ = writeln!(message, "  optional {kind} {}{note};", known.column());
    }
    message + LAST.trim_start_matches('\n') + "}"
}

pub(crate) fn parsed() -> Result<Arc<Type>> {
    parse_message_type(&schema()).map(Arc::new)
}

/// Span ids and times gain nothing from a dictionary; times use delta encoding, which all readers support.
pub(crate) fn properties() -> Arc<WriterProperties> {
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("baton version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk);
    for column in ["span_id", "parent_span_id"] {
        properties = properties.set_column_dictionary_enabled(ColumnPath::from(column), false);
    }
    for column in ["start", "start_unix_ns", "duration_ns"] {
        let column = ColumnPath::from(column);
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
    }
    Arc::new(properties.build())
}
