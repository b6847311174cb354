//! Columns of spans in a Parquet file, written like a block.

use crate::generate::{SpanFacts, SpanGenerator, service};
use anyhow::Result;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use baton_types::{Span, SpanStatus, SpanValue};
use parquet::{
    arrow::{
        ArrowWriter, ProjectionMask,
        arrow_reader::{
            ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
        },
    },
    basic::{Compression, ZstdLevel},
    file::properties::WriterProperties,
};
use serde_json::{Value as Json, json};
use std::{fs::File, path::Path, sync::Arc, time::Instant};

/// Rows per batch and per row group, as in a block of the store.
const BATCH_SPANS: u64 = 65_536;
const ROW_GROUP_ROWS: usize = 1 << 20;
/// Rows per read batch.
const READ_BATCH_ROWS: usize = 65_536;

fn schema() -> Schema {
    let mut fields = vec![
        Field::new("start", DataType::Int64, false),
        Field::new("duration", DataType::Int64, false),
        Field::new("name", DataType::Utf8, false),
        Field::new("status", DataType::Utf8, false),
        Field::new("service", DataType::Utf8, false),
    ];
    for (key, value) in SpanFacts::from_index(0).attributes() {
        let kind = match value {
            SpanValue::Int(_) => DataType::Int64,
            SpanValue::Float(_) => DataType::Float64,
            SpanValue::Bool(_) => DataType::Boolean,
            _ => DataType::Utf8,
        };
        fields.push(Field::new(key, kind, true));
    }
    Schema::new(fields)
}

/// Writes the file; generating spans and columns is not measured.
pub fn write(path: &Path, count: u64) -> Result<Json> {
    let schema = Arc::new(schema());
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .build();
    let mut writer = ArrowWriter::try_new(File::create(path)?, Arc::clone(&schema), Some(properties))?;
    let generator = SpanGenerator::new();
    let mut seconds = 0.0;
    for first in (0..count).step_by(BATCH_SPANS as usize) {
        let spans: Vec<Span> = (first..(first + BATCH_SPANS).min(count)).map(|index| generator.span(index)).collect();
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns(&schema, &spans))?;
        let begun = Instant::now();
        writer.write(&batch)?;
        seconds += begun.elapsed().as_secs_f64();
    }
    let begun = Instant::now();
    writer.into_inner()?.sync_all()?;
    seconds += begun.elapsed().as_secs_f64();
    Ok(json!({ "write_seconds": seconds, "bytes": path.metadata()?.len() }))
}

fn columns(schema: &Schema, spans: &[Span]) -> Vec<ArrayRef> {
    let integers = |of: fn(&Span) -> u64| -> ArrayRef {
        Arc::new(spans.iter().map(|span| i64::try_from(of(span)).ok()).collect::<Int64Array>())
    };
    let status = |span: &Span| if span.status == SpanStatus::Error { "error" } else { "unset" };
    let mut columns: Vec<ArrayRef> = vec![
        integers(|span| span.start),
        integers(Span::duration),
        Arc::new(StringArray::from_iter_values(spans.iter().map(|span| span.name.as_ref()))),
        Arc::new(StringArray::from_iter_values(spans.iter().map(status))),
        Arc::new(StringArray::from_iter_values(spans.iter().map(service))),
    ];
    for field in schema.fields().iter().skip(columns.len()) {
        let values = spans.iter().map(|span| span.attribute(field.name()));
        columns.push(match field.data_type() {
            DataType::Int64 => Arc::new(values.map(|value| value.and_then(SpanValue::as_int)).collect::<Int64Array>()),
            DataType::Float64 => Arc::new(
                values
                    .map(|value| if let Some(SpanValue::Float(number)) = value { Some(*number) } else { None })
                    .collect::<Float64Array>(),
            ),
            DataType::Boolean => Arc::new(
                values
                    .map(|value| if let Some(SpanValue::Bool(word)) = value { Some(*word) } else { None })
                    .collect::<BooleanArray>(),
            ),
            _ => Arc::new(values.map(|value| value.and_then(SpanValue::as_text)).collect::<StringArray>()),
        });
    }
    columns
}

/// An open file with its footer read.
pub struct ParquetColumns {
    file: File,
    metadata: ArrowReaderMetadata,
}

impl ParquetColumns {
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path)?;
        // Text is read as dictionary keys, as it is stored: comparing and grouping then needs no text.
        let dictionary = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        let fields = schema()
            .fields()
            .iter()
            .map(|field| match field.data_type() {
                DataType::Utf8 => Field::new(field.name(), dictionary.clone(), field.is_nullable()),
                _ => field.as_ref().clone(),
            })
            .collect::<Vec<_>>();
        let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields)));
        let metadata = ArrowReaderMetadata::load(&file, options)?;
        Ok(Self { file, metadata })
    }

    /// Reads these columns of all rows.
    pub fn read(&self, names: &[&str]) -> Result<ParquetRecordBatchReader> {
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.try_clone()?, self.metadata.clone());
        // By index: a dot in a name would be interpreted as a nested column.
        let schema = builder.schema();
        let numbers = names.iter().map(|name| schema.index_of(name)).collect::<Result<Vec<_>, _>>()?;
        let mask = ProjectionMask::leaves(builder.parquet_schema(), numbers);
        Ok(builder.with_projection(mask).with_batch_size(READ_BATCH_ROWS).build()?)
    }
}
