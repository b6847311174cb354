//! One column of one row group, before it is written.

use bytes::Bytes;
use parquet::{
    column::writer::ColumnWriter,
    data_type::ByteArray,
    errors::{ParquetError, Result},
};

/// What a value takes in memory beside its own bytes.
const OVERHEAD: usize = 48;

/// The values of a column, and where in nesting rows they are.
pub(crate) struct Leaf {
    values: Values,
    /// How much of each entry is there; left empty where everything always is.
    definitions: Vec<i16>,
    /// Whether each entry begins a row; left empty where every entry does.
    repetitions: Vec<i16>,
    bytes: usize,
}

enum Values {
    Text(Vec<ByteArray>),
    Whole(Vec<i64>),
    Number(Vec<f64>),
}

impl Leaf {
    pub(crate) fn text() -> Self {
        Self::of(Values::Text(Vec::new()))
    }

    pub(crate) fn whole() -> Self {
        Self::of(Values::Whole(Vec::new()))
    }

    pub(crate) fn number() -> Self {
        Self::of(Values::Number(Vec::new()))
    }

    fn of(values: Values) -> Self {
        Self { values, definitions: Vec::new(), repetitions: Vec::new(), bytes: 0 }
    }

    /// About how many bytes of memory it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// A row with a value, in a column that always has one.
    pub(crate) fn put(&mut self, cell: impl Into<Cell>) {
        match (&mut self.values, cell.into()) {
            (Values::Text(values), Cell::Text(text)) => {
                self.bytes += OVERHEAD + text.len();
                values.push(ByteArray::from(text));
            }
            (Values::Whole(values), Cell::Whole(number)) => {
                self.bytes += size_of::<i64>();
                values.push(number);
            }
            (Values::Number(values), Cell::Number(number)) => {
                self.bytes += size_of::<f64>();
                values.push(number);
            }
            // The row group is refused when it is written: a value is missing.
            _ => debug_assert!(false, "a value of another kind"),
        }
    }

    /// A row with or without a value, in a column that may have none.
    pub(crate) fn maybe(&mut self, cell: Option<impl Into<Cell>>) {
        self.bytes += size_of::<i16>();
        self.definitions.push(i16::from(cell.is_some()));
        if let Some(cell) = cell {
            self.put(cell);
        }
    }

    /// An entry of a repeated column: a value or none, how much of it is there, and whether it goes on with a row.
    pub(crate) fn entry(&mut self, cell: Option<Cell>, definition: i16, repetition: i16) {
        self.bytes += 2 * size_of::<i16>();
        self.definitions.push(definition);
        self.repetitions.push(repetition);
        if let Some(cell) = cell {
            self.put(cell);
        }
    }

    /// Writes it down and forgets it.
    pub(crate) fn write(&mut self, writer: &mut ColumnWriter<'_>) -> Result<()> {
        let definitions = (!self.definitions.is_empty()).then_some(self.definitions.as_slice());
        let repetitions = (!self.repetitions.is_empty()).then_some(self.repetitions.as_slice());
        match (&mut self.values, writer) {
            (Values::Text(values), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                writer.write_batch(values, definitions, repetitions)?;
                values.clear();
            }
            (Values::Whole(values), ColumnWriter::Int64ColumnWriter(writer)) => {
                writer.write_batch(values, definitions, repetitions)?;
                values.clear();
            }
            (Values::Number(values), ColumnWriter::DoubleColumnWriter(writer)) => {
                writer.write_batch(values, definitions, repetitions)?;
                values.clear();
            }
            _ => {
                return Err(ParquetError::General("a column holds values of another kind than the schema says".into()));
            }
        }
        self.definitions.clear();
        self.repetitions.clear();
        self.bytes = 0;
        Ok(())
    }
}

/// One value.
pub(crate) enum Cell {
    Text(Bytes),
    Whole(i64),
    Number(f64),
}

impl From<Bytes> for Cell {
    fn from(text: Bytes) -> Self {
        Self::Text(text)
    }
}

impl From<&'static str> for Cell {
    fn from(text: &'static str) -> Self {
        Self::Text(Bytes::from_static(text.as_bytes()))
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Whole(number)
    }
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}
