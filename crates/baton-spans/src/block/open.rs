//! An open block: its state in memory, and reading its spans.

use super::{
    BlockInputs,
    block_writer::delete_block,
    directory::{BlockDirectory, FenceIndex, FieldEntry, FieldValuesEntry, RowColumns},
    file::BlockFileReader,
    frames::{FrameDirectory, next_entry},
    manifest::BlockManifest,
    traces::BlockTraces,
};
use crate::{
    codec::{self, SpanParts},
    head::ResourceScope,
    index::{AtomKind, MAX_BLOCK_FIELDS, ValueLocation},
};
use baton_span_ports::SpanStoreError;
use baton_types::{Span, SpanId, SpanResource, SpanScope};
use parking_lot::Mutex;
use std::{
    collections::{HashMap, VecDeque},
    ops::{ControlFlow, Range},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

/// Name of the index file.
pub(super) const INDEX_FILE: &str = "index";
/// Name of the file with the spans.
pub(super) const RAW_FILE: &str = "raw";

/// Maximum number of cached resource and scope pairs.
const MAX_CACHED_SHARED: usize = 64;
/// Maximum size of a cached frame.
const MAX_CACHED_FRAME_LEN: usize = 1 << 19;

/// An immutable block; only its directory and small caches are in memory.
pub(crate) struct SpanBlock {
    dir: PathBuf,
    pub(super) manifest: BlockManifest,
    pub(super) index: BlockFileReader,
    pub(super) raw: BlockFileReader,
    pub(super) directory: FieldDirectory,
    pub(super) traces: BlockTraces,
    /// `None` in blocks of the first version.
    pub(super) row_columns: Option<RowColumns>,
    frames: FrameDirectory,
    shared_frames: FrameDirectory,
    cache: FrameCache,
    shared: Mutex<HashMap<u32, ResourceScope>>,
}

/// The fields of a block.
pub(super) struct FieldDirectory {
    pub(super) fields: Vec<FieldEntry>,
    pub(super) unindexed: Option<super::directory::PostingExtent>,
    /// For every field by value type, loaded on first use.
    fences: Vec<[OnceLock<FenceIndex>; AtomKind::ALL.len()]>,
}

/// Cache of recently read frames.
pub(super) struct FrameCache {
    frames: Mutex<VecDeque<(usize, Arc<Vec<u8>>)>>,
    keep: usize,
}

impl FrameCache {
    /// A cache for up to `keep` frames.
    pub(super) fn new(keep: usize) -> Self {
        Self { frames: Mutex::new(VecDeque::new()), keep }
    }

    fn read(
        &self,
        frames: &FrameDirectory,
        source: &BlockFileReader,
        number: usize,
    ) -> Result<Arc<Vec<u8>>, SpanStoreError> {
        let cached =
            self.frames.lock().iter().find(|(cached, _)| *cached == number).map(|(_, bytes)| Arc::clone(bytes));
        if let Some(bytes) = cached {
            return Ok(bytes);
        }
        let bytes = Arc::new(frames.read(source, number)?);
        if bytes.len() <= MAX_CACHED_FRAME_LEN {
            let mut cached = self.frames.lock();
            cached.truncate(self.keep.saturating_sub(1));
            cached.push_front((number, Arc::clone(&bytes)));
        }
        Ok(bytes)
    }
}

/// Opens the block in that directory.
pub(crate) fn open(dir: &Path) -> Result<SpanBlock, SpanStoreError> {
    let manifest = BlockManifest::read(dir)?;
    let index = BlockFileReader::open(dir.join(INDEX_FILE))?;
    let raw = BlockFileReader::open(dir.join(RAW_FILE))?;
    if index.len() != manifest.index_len {
        return Err(index.corrupt("its length does not match the manifest"));
    }
    if raw.len() != manifest.raw_len {
        return Err(raw.corrupt("its length does not match the manifest"));
    }
    let bytes = index.read(manifest.directory)?;
    let directory: BlockDirectory =
        postcard::from_bytes(&bytes).map_err(|_| index.corrupt("its directory cannot be read"))?;
    let fits = directory.raw.is_consistent(&raw, Some(manifest.rows))
        && directory.shared.is_consistent(&index, None)
        && directory.fields.len() <= MAX_BLOCK_FIELDS
        && directory.fields.is_sorted_by(|one, next| (one.place, &one.key) < (next.place, &next.key));
    if !fits {
        return Err(index.corrupt("its directory is inconsistent"));
    }
    let read_known = |at| RowColumns::read(&index, at, manifest.rows, directory.fields.len());
    let known = manifest.rows_known.map(read_known).transpose()?;
    let bloom_filter = known.as_ref().and_then(|known| known.bloom_filter);
    let traces = BlockTraces::open(&index, directory.traces, bloom_filter, (manifest.traces, manifest.rows))?;
    let fences = directory.fields.iter().map(|_| Default::default()).collect();
    Ok(SpanBlock {
        dir: dir.to_owned(),
        manifest,
        index,
        raw,
        directory: FieldDirectory { fields: directory.fields, unindexed: directory.unlisted, fences },
        traces,
        row_columns: known,
        frames: directory.raw,
        shared_frames: directory.shared,
        cache: FrameCache::new(2),
        shared: Mutex::new(HashMap::new()),
    })
}

impl SpanBlock {
    /// Directory of the block.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Name of its directory.
    pub(crate) fn name(&self) -> &str {
        self.dir.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Inputs that it replaces.
    pub(crate) fn inputs(&self) -> &BlockInputs {
        &self.manifest.covers
    }

    /// Deletes it from disk; open readers can continue.
    pub(crate) fn delete(&self) -> Result<(), SpanStoreError> {
        delete_block(&self.dir)
    }

    /// The field with that key.
    pub(super) fn field(&self, location: ValueLocation, key: &str) -> Option<(usize, &FieldEntry)> {
        let fields = &self.directory.fields;
        let number = fields.binary_search_by(|field| (field.place, field.key.as_str()).cmp(&(location, key))).ok()?;
        Some((number, &fields[number]))
    }

    /// Fence index of the values of a type.
    pub(super) fn fences(&self, field: usize, form: &FieldValuesEntry) -> Result<&FenceIndex, SpanStoreError> {
        let cell = &self.directory.fences[field][form.form as usize];
        if let Some(fences) = cell.get() {
            return Ok(fences);
        }
        let fences = FenceIndex::read(&self.index, form.fences)?;
        Ok(cell.get_or_init(|| fences))
    }

    /// Passes encoded rows to the callback; returns the number of bytes read.
    pub(super) fn each_row(
        &self,
        cache: &FrameCache,
        rows: Range<u32>,
        mut each: impl FnMut(u32, SpanId, &[u8]) -> Result<(), SpanStoreError>,
    ) -> Result<u64, SpanStoreError> {
        self.each_row_while(cache, rows, |shared, id, body| each(shared, id, body).map(ControlFlow::Continue))
    }

    fn each_row_while(
        &self,
        cache: &FrameCache,
        rows: Range<u32>,
        mut each: impl FnMut(u32, SpanId, &[u8]) -> Result<ControlFlow<()>, SpanStoreError>,
    ) -> Result<u64, SpanStoreError> {
        let (mut row, mut read) = (rows.start, 0);
        while row < rows.end {
            let damaged = || self.raw.corrupt("a span is missing");
            let number = self.frames.frame_of(row).ok_or_else(damaged)?;
            let frame = cache.read(&self.frames, &self.raw, number)?;
            read += self.frames.len(number);
            let mut bytes = frame.as_slice();
            for _ in self.frames.first(number)..row {
                next_entry(&mut bytes).ok_or_else(damaged)?;
            }
            let end = rows.end.min(self.frames.first(number + 1));
            while row < end {
                let entry = next_entry(&mut bytes).ok_or_else(damaged)?;
                let (shared, entry) = entry.split_first_chunk::<4>().ok_or_else(damaged)?;
                let (id, body) = entry.split_first_chunk::<8>().ok_or_else(damaged)?;
                if each(u32::from_le_bytes(*shared), SpanId(*id), body)?.is_break() {
                    return Ok(read);
                }
                row += 1;
            }
        }
        Ok(read)
    }

    /// Passes the spans of some rows to the callback, restricted to the given parts, until it breaks. Returns the
    /// number of bytes read.
    pub(super) fn read_spans(
        &self,
        rows: Range<u32>,
        parts: &SpanParts,
        each: &mut dyn FnMut(Span) -> ControlFlow<()>,
    ) -> Result<u64, SpanStoreError> {
        self.each_row_while(&self.cache, rows, |shared, _, body| {
            let (resource, scope) = self.shared(shared)?;
            let span = codec::read_parts(body, parts, resource, scope);
            Ok(each(span.map_err(|_| self.raw.corrupt("a span cannot be read"))?))
        })
    }

    /// The encoded resource and scope with that number.
    pub(super) fn shared_form(&self, number: u32) -> Result<Vec<u8>, SpanStoreError> {
        let damaged = || self.index.corrupt("the resource and scope of a span are missing");
        let frame = self.shared_frames.frame_of(number).ok_or_else(damaged)?;
        let bytes = self.shared_frames.read(&self.index, frame)?;
        let mut bytes = bytes.as_slice();
        for _ in self.shared_frames.first(frame)..number {
            next_entry(&mut bytes).ok_or_else(damaged)?;
        }
        Ok(next_entry(&mut bytes).ok_or_else(damaged)?.to_vec())
    }

    /// Number of distinct resource and scope pairs.
    pub(super) fn shared_len(&self) -> u32 {
        self.shared_frames.entries()
    }

    fn shared(&self, number: u32) -> Result<ResourceScope, SpanStoreError> {
        if let Some((resource, scope)) = self.shared.lock().get(&number) {
            return Ok((Arc::clone(resource), Arc::clone(scope)));
        }
        let form = self.shared_form(number)?;
        let read: Result<(SpanResource, SpanScope), _> = postcard::from_bytes(&form);
        let (resource, scope) =
            read.map_err(|_| self.index.corrupt("the resource and scope of a span cannot be read"))?;
        let shared = (Arc::new(resource), Arc::new(scope));
        let mut cache = self.shared.lock();
        if cache.len() >= MAX_CACHED_SHARED {
            cache.clear();
        }
        cache.insert(number, shared.clone());
        Ok(shared)
    }
}
