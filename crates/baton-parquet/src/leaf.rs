//! Buffer for one column of one row group.

use bytes::Bytes;
use parquet::{
    column::writer::ColumnWriter,
    data_type::ByteArray,
    errors::{ParquetError, Result},
};

/// Memory overhead per value in bytes.
const VALUE_OVERHEAD_BYTES: usize = 48;

/// Values of a leaf column with definition and repetition levels.
pub(crate) struct LeafColumn {
    values: ColumnValues,
    /// Definition levels; empty for required columns.
    definitions: Vec<i16>,
    /// Repetition levels; empty for columns that are not repeated.
    repetitions: Vec<i16>,
    bytes: usize,
}

enum ColumnValues {
    Text(Vec<ByteArray>),
    Whole(Vec<i64>),
    Number(Vec<f64>),
}

impl LeafColumn {
    pub(crate) fn text() -> Self {
        Self::from_values(ColumnValues::Text(Vec::new()))
    }

    pub(crate) fn integer() -> Self {
        Self::from_values(ColumnValues::Whole(Vec::new()))
    }

    pub(crate) fn number() -> Self {
        Self::from_values(ColumnValues::Number(Vec::new()))
    }

    fn from_values(values: ColumnValues) -> Self {
        Self { values, definitions: Vec::new(), repetitions: Vec::new(), bytes: 0 }
    }

    /// Approximate memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds a value to a required column.
    pub(crate) fn put(&mut self, cell: impl Into<ColumnCell>) {
        match (&mut self.values, cell.into()) {
            (ColumnValues::Text(values), ColumnCell::Text(text)) => {
                self.bytes += VALUE_OVERHEAD_BYTES + text.len();
                values.push(ByteArray::from(text));
            }
            (ColumnValues::Whole(values), ColumnCell::Whole(number)) => {
                self.bytes += size_of::<i64>();
                values.push(number);
            }
            (ColumnValues::Number(values), ColumnCell::Number(number)) => {
                self.bytes += size_of::<f64>();
                values.push(number);
            }
            // The row group then lacks a value, so writing it fails.
            _ => debug_assert!(false, "value type does not match the column"),
        }
    }

    /// Adds an optional value.
    pub(crate) fn put_optional(&mut self, cell: Option<impl Into<ColumnCell>>) {
        self.bytes += size_of::<i16>();
        self.definitions.push(i16::from(cell.is_some()));
        if let Some(cell) = cell {
            self.put(cell);
        }
    }

    /// Adds an entry of a repeated column with its levels.
    pub(crate) fn entry(&mut self, cell: Option<ColumnCell>, definition: i16, repetition: i16) {
        self.bytes += 2 * size_of::<i16>();
        self.definitions.push(definition);
        self.repetitions.push(repetition);
        if let Some(cell) = cell {
            self.put(cell);
        }
    }

    /// Writes the column and clears the buffer.
    pub(crate) fn write(&mut self, writer: &mut ColumnWriter<'_>) -> Result<()> {
        let definitions = (!self.definitions.is_empty()).then_some(self.definitions.as_slice());
        let repetitions = (!self.repetitions.is_empty()).then_some(self.repetitions.as_slice());
        match (&mut self.values, writer) {
            (ColumnValues::Text(values), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                writer.write_batch(values, definitions, repetitions)?;
                values.clear();
            }
            (ColumnValues::Whole(values), ColumnWriter::Int64ColumnWriter(writer)) => {
                writer.write_batch(values, definitions, repetitions)?;
                values.clear();
            }
            (ColumnValues::Number(values), ColumnWriter::DoubleColumnWriter(writer)) => {
                writer.write_batch(values, definitions, repetitions)?;
                values.clear();
            }
            _ => {
                return Err(ParquetError::General("the values of a column do not match its type in the schema".into()));
            }
        }
        self.definitions.clear();
        self.repetitions.clear();
        self.bytes = 0;
        Ok(())
    }
}

/// One value.
pub(crate) enum ColumnCell {
    Text(Bytes),
    Whole(i64),
    Number(f64),
}

impl From<Bytes> for ColumnCell {
    fn from(text: Bytes) -> Self {
        Self::Text(text)
    }
}

impl From<&'static str> for ColumnCell {
    fn from(text: &'static str) -> Self {
        Self::Text(Bytes::from_static(text.as_bytes()))
    }
}

impl From<String> for ColumnCell {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<i64> for ColumnCell {
    fn from(number: i64) -> Self {
        Self::Whole(number)
    }
}

impl From<f64> for ColumnCell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}
