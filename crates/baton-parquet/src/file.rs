//! Writer of span files.

use crate::{rows::SpanRows, schema};
use baton_types::Span;
use parquet::{errors::ParquetError, file::writer::SerializedFileWriter};
use std::{
    io,
    path::{Path, PathBuf},
};
use tempfile::NamedTempFile;

/// Maximum number of rows in a row group; DuckDB processes one row group per thread.
const MAX_GROUP_ROWS: usize = 122_880;
/// Maximum memory of the rows of a row group in bytes.
const MAX_GROUP_BYTES: usize = 128 << 20;
/// Number of rows between two checks of the memory use.
const MEMORY_CHECK_INTERVAL: usize = 256;

/// Failure to write a file.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// I/O error.
    #[error(transparent)]
    Disk(#[from] io::Error),
    /// Parquet encoding error.
    #[error(transparent)]
    Encoding(#[from] ParquetError),
}

/// Statistics of a finished file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpanFileStats {
    /// Number of spans, one row each.
    pub spans: u64,
    /// File size in bytes.
    pub bytes: u64,
    /// Number of row groups, which readers can process independently.
    pub row_groups: u64,
}

/// Writer of a Parquet file. It writes to a temporary file in the same directory, which `finish` renames to the final
/// path and a drop deletes. The file is readable by its owner only, because spans may contain message content.
pub struct SpanFile {
    path: PathBuf,
    writer: SerializedFileWriter<NamedTempFile>,
    rows: SpanRows,
    written: SpanFileStats,
}

impl SpanFile {
    /// Starts a file for this path; an existing file remains until `finish`.
    pub fn create(path: &Path) -> Result<Self, WriteError> {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = tempfile::Builder::new().prefix(".spans-").suffix(".parquet").tempfile_in(directory);
        let file = file.map_err(|error| without_path(&error))?;
        let writer = SerializedFileWriter::new(file, schema::parsed()?, schema::properties())?;
        Ok(Self { path: path.to_owned(), writer, rows: SpanRows::new(), written: SpanFileStats::default() })
    }

    /// Adds a span.
    pub fn add(&mut self, span: &Span) -> Result<(), WriteError> {
        self.rows.add(span);
        self.written.spans += 1;
        let look = self.rows.count().is_multiple_of(MEMORY_CHECK_INTERVAL);
        if self.rows.count() >= MAX_GROUP_ROWS || look && self.rows.bytes() >= MAX_GROUP_BYTES {
            self.write_rows()?;
        }
        Ok(())
    }

    /// Syncs the file and moves it to its path.
    pub fn finish(mut self) -> Result<SpanFileStats, WriteError> {
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
            let missing = || ParquetError::General("the schema has fewer columns than the row group".to_owned());
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

/// The error without the path: the temporary file name is of no use to the user.
fn without_path(error: &io::Error) -> io::Error {
    error.kind().into()
}
