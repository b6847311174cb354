//! A file of spans.

use crate::{rows::Rows, schema};
use baton_types::Span;
use parquet::{errors::ParquetError, file::writer::SerializedFileWriter};
use std::{
    io,
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

/// Most rows of a row group: what DuckDB gives to one thread.
const MOST_ROWS: usize = 122_880;
/// Most bytes of memory that the rows of a row group take.
const MOST_BYTES: usize = 128 << 20;
/// After how many rows it is looked how much memory they take.
const BETWEEN_LOOKS: usize = 256;

/// Why a file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The disk refused.
    #[error(transparent)]
    Disk(#[from] io::Error),
    /// The table could not be packed.
    #[error(transparent)]
    Packing(#[from] ParquetError),
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Spans, one row each.
    pub spans: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Row groups: parts that readers can take on their own.
    pub row_groups: u64,
}

/// Spans on their way into a Parquet file, which is there when it is finished, and not before: until then it has another
/// name beside it, and goes when this is dropped. Only its owner may read it, because spans may hold what was said.
pub struct SpanFile {
    path: PathBuf,
    writer: SerializedFileWriter<NamedTempFile>,
    rows: Rows,
    written: Written,
}

impl SpanFile {
    /// Begins a file that will be at this path; one that is there stays until then.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = tempfile::Builder::new().prefix(".spans-").suffix(".parquet").tempfile_in(directory);
        let file = file.map_err(|error| without_path(&error))?;
        let writer = SerializedFileWriter::new(file, schema::parsed()?, schema::properties())?;
        Ok(Self { path: path.to_owned(), writer, rows: Rows::new(), written: Written::default() })
    }

    /// Adds a span.
    pub fn add(&mut self, span: &Span) -> Result<(), WriteError> {
        self.rows.add(span);
        self.written.spans += 1;
        let look = self.rows.count().is_multiple_of(BETWEEN_LOOKS);
        if self.rows.count() >= MOST_ROWS || look && self.rows.bytes() >= MOST_BYTES {
            self.write_rows()?;
        }
        Ok(())
    }

    /// Puts the file in its place, synced.
    pub fn finish(mut self) -> Result<Written, WriteError> {
        self.write_rows()?;
        let file = self.writer.into_inner()?;
        file.as_file().sync_all()?;
        self.written.bytes = file.as_file().metadata()?.len();
        file.persist(&self.path).map_err(|error| error.error)?;
        Ok(self.written)
    }

    fn write_rows(&mut self) -> Result<(), WriteError> {
        if self.rows.count() == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group()?;
        for leaf in self.rows.leaves() {
            let missing = || ParquetError::General("the schema has fewer columns than there are".to_owned());
            let mut column = group.next_column()?.ok_or_else(missing)?;
            leaf.write(column.untyped())?;
            column.close()?;
        }
        group.close()?;
        self.rows.clear();
        self.written.row_groups += 1;
        Ok(())
    }
}

/// What went wrong, alone: people know where they wanted the file, and the name that it has meanwhile says nothing to them.
fn without_path(error: &io::Error) -> io::Error {
    error.kind().into()
}
