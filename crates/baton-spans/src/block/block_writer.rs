//! Writes a block under a temporary name.

use super::{
    BlockInputs, SpanBlock, UNFINISHED_PREFIX,
    bloom_filter::BloomFilter,
    directory::{BlockDirectory, FieldEntry, PostingExtent, RowColumns},
    file::BlockFileWriter,
    frames::FrameWriter,
    manifest::{self, BlockManifest},
    numbers::NumberWriter,
    open::{INDEX_FILE, RAW_FILE, open},
    traces::write_traces,
    write_field::{FieldWriter, write_rows},
};
use crate::{
    codec, disk,
    index::{ValueLocation, append_parent_codes, span_id_hash},
    segment::TracePart,
};
use baton_span_ports::SpanStoreError;
use baton_traceql::TraceNode;
use baton_types::{SpanClass, SpanId};
use roaring::RoaringBitmap;
use std::path::{Path, PathBuf};

/// Target size of a frame of spans.
const RAW_FRAME_LEN: usize = 32 << 10;
/// Resources and scopes are small and read one by one.
const SHARED_FRAME_LEN: usize = 8 << 10;

/// Block writer: first the traces in order with all their rows, then the fields.
pub(super) struct BlockWriter {
    unfinished: PathBuf,
    index: BlockFileWriter,
    raw: BlockFileWriter,
    frames: FrameWriter,
    shared: FrameWriter,
    shared_len: u32,
    parts: Vec<TracePart>,
    first_rows: RoaringBitmap,
    rows: u32,
    starts: NumberWriter,
    durations: NumberWriter,
    marks: NumberWriter,
    parents: NumberWriter,
    /// The spans of the current trace.
    nodes: Vec<TraceNode>,
    fields: Vec<(FieldEntry, Option<PostingExtent>)>,
    unindexed: Option<PostingExtent>,
    bits: Vec<u8>,
}

/// Writes a block as the directory `dir`; on failure nothing is left, if the disk allows.
///
/// An existing directory of that name must be unused: it is left from a failed attempt and is removed.
pub(super) fn write_block(
    dir: &Path,
    level: i32,
    class: SpanClass,
    covers: BlockInputs,
    fill: impl FnOnce(&mut BlockWriter) -> Result<(), SpanStoreError>,
) -> Result<SpanBlock, SpanStoreError> {
    let (_, unfinished) = unfinished_path(dir)?;
    if dir.exists() {
        delete_block(dir)?;
    }
    disk::remove(&unfinished)?;
    let written = BlockWriter::begin(&unfinished, level).and_then(|mut draft| {
        fill(&mut draft)?;
        draft.finish(class, covers)
    });
    let renamed = written.and_then(|()| disk::rename(&unfinished, dir));
    renamed.and_then(|()| open(dir)).inspect_err(|_| {
        // Remains are removed by the next attempt or when the store opens; the first error is returned.
        let _ = if dir.exists() { delete_block(dir) } else { disk::remove(&unfinished) };
    })
}

/// Renames the directory of a block to its temporary name and deletes it; the name is durably free when this returns.
pub(crate) fn delete_block(dir: &Path) -> Result<(), SpanStoreError> {
    let (parent, unfinished) = unfinished_path(dir)?;
    if dir.exists() {
        disk::remove(&unfinished)?;
        disk::rename(dir, &unfinished)?;
    } else {
        disk::sync_directory(parent)?;
    }
    disk::remove(&unfinished)
}

/// Parent directory and temporary path of a block.
fn unfinished_path(dir: &Path) -> Result<(&Path, PathBuf), SpanStoreError> {
    match (dir.parent(), dir.file_name().and_then(|name| name.to_str())) {
        (Some(parent), Some(name)) => Ok((parent, parent.join(format!("{UNFINISHED_PREFIX}{name}")))),
        _ => Err(SpanStoreError::Unavailable(format!("{} cannot be the name of a block", dir.display()))),
    }
}

impl BlockWriter {
    fn begin(unfinished: &Path, level: i32) -> Result<Self, SpanStoreError> {
        disk::make_directory(unfinished)?;
        Ok(Self {
            unfinished: unfinished.to_owned(),
            index: BlockFileWriter::create(unfinished.join(INDEX_FILE))?,
            raw: BlockFileWriter::create(unfinished.join(RAW_FILE))?,
            frames: FrameWriter::new(RAW_FRAME_LEN, level)?,
            shared: FrameWriter::new(SHARED_FRAME_LEN, level)?,
            shared_len: 0,
            parts: Vec::new(),
            first_rows: RoaringBitmap::new(),
            rows: 0,
            starts: NumberWriter::default(),
            durations: NumberWriter::default(),
            marks: NumberWriter::default(),
            parents: NumberWriter::default(),
            nodes: Vec::new(),
            fields: Vec::new(),
            unindexed: None,
            bits: Vec::new(),
        })
    }

    /// Adds a resource and scope; returns their number.
    pub(super) fn add_shared(&mut self, form: &[u8]) -> Result<u32, SpanStoreError> {
        let number = self.shared_len;
        self.shared.push(&mut self.index, &[form])?;
        self.shared.end_group(&mut self.index)?;
        self.shared_len = number.checked_add(1).ok_or_else(too_many)?;
        Ok(number)
    }

    /// Begins a trace; its rows follow.
    pub(super) fn begin_trace(&mut self, part: TracePart) -> Result<(), SpanStoreError> {
        self.end_trace()?;
        self.frames.end_group(&mut self.raw)?;
        self.first_rows.insert(self.rows);
        self.parts.push(part);
        Ok(())
    }

    /// Writes the parents of the rows of the current trace.
    fn end_trace(&mut self) -> Result<(), SpanStoreError> {
        let mut codes = Vec::with_capacity(self.nodes.len());
        append_parent_codes(&self.nodes, &mut codes);
        self.nodes.clear();
        codes.into_iter().try_for_each(|code| self.parents.push(&mut self.index, code))
    }

    /// Adds a span to the current trace; returns its row.
    pub(super) fn add_row(
        &mut self,
        shared: u32,
        id: SpanId,
        (start, duration): (u64, u64),
        body: &[u8],
    ) -> Result<u32, SpanStoreError> {
        let row = self.rows;
        self.frames.push(&mut self.raw, &[&shared.to_le_bytes(), &id.0, body])?;
        self.starts.push(&mut self.index, start)?;
        self.durations.push(&mut self.index, duration)?;
        self.marks.push(&mut self.index, u64::from(span_id_hash(id)))?;
        self.nodes.push(codec::read_node(body)?);
        self.rows = row.checked_add(1).ok_or_else(too_many)?;
        Ok(row)
    }

    /// Writes a field.
    pub(super) fn write_field(
        &mut self,
        location: ValueLocation,
        key: &str,
        fill: impl FnOnce(&mut FieldWriter<'_>) -> Result<(), SpanStoreError>,
    ) -> Result<(), SpanStoreError> {
        self.bits.resize((self.rows as usize).div_ceil(8), 0);
        let mut writer = FieldWriter::new(&mut self.index, &mut self.bits, location, key)?;
        fill(&mut writer)?;
        self.fields.extend(writer.finish()?);
        Ok(())
    }

    /// Writes the rows that have an unindexed key, in ascending order.
    pub(super) fn write_unindexed(&mut self, rows: &[u32]) -> Result<(), SpanStoreError> {
        self.unindexed = write_rows(&mut self.index, rows)?;
        Ok(())
    }

    fn finish(mut self, class: SpanClass, covers: BlockInputs) -> Result<(), SpanStoreError> {
        self.end_trace()?;
        let raw = self.frames.finish(&mut self.raw)?;
        let shared = self.shared.finish(&mut self.index)?;
        self.first_rows.optimize();
        let traces = write_traces(&mut self.index, &self.parts, &self.first_rows)?;
        self.fields.sort_by(|(one, _), (other, _)| (one.place, &one.key).cmp(&(other.place, &other.key)));
        let several =
            self.fields.iter().enumerate().filter_map(|(at, (_, rows))| Some((at as u32, (*rows)?))).collect();
        let known = RowColumns {
            starts: self.starts.finish(&mut self.index)?,
            durations: self.durations.finish(&mut self.index)?,
            marks: self.marks.finish(&mut self.index)?,
            several,
            bloom_filter: Some(self.index.put(&BloomFilter::from_ids(self.parts.iter().map(|part| part.id)).bytes())?),
            parents: Some(self.parents.finish(&mut self.index)?),
        };
        let fields = self.fields.into_iter().map(|(field, _)| field).collect();
        let directory = BlockDirectory { fields, unlisted: self.unindexed, traces, shared, raw };
        let unwritable = |error| SpanStoreError::Unavailable(format!("an index cannot be encoded: {error}"));
        let rows_known = Some(self.index.put(&known.bytes().map_err(unwritable)?)?);
        let directory = self.index.put(&postcard::to_stdvec(&directory).map_err(unwritable)?)?;
        let manifest = BlockManifest {
            class,
            rows: self.rows,
            traces: self.parts.len() as u32,
            start: self.parts.iter().map(|part| part.start).min().unwrap_or(0),
            end: self.parts.iter().map(|part| part.end).max().unwrap_or(0),
            covers,
            index_len: self.index.finish()?,
            raw_len: self.raw.finish()?,
            directory,
            rows_known,
        };
        let mut out = BlockFileWriter::create(self.unfinished.join(manifest::FILE_NAME))?;
        out.put(&manifest.bytes()?)?;
        out.finish()?;
        disk::sync_directory(&self.unfinished)
    }
}

fn too_many() -> SpanStoreError {
    SpanStoreError::Unavailable("too many spans for one block".to_owned())
}
