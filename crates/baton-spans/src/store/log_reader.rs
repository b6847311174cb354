//! Reads the log to forward spans: in order of storage, resuming at the position of the reader.

use super::{
    embedded::{EmbeddedSpanStore, StorePaths, StoreState},
    log_retention::LogPosition,
};
use crate::{
    codec,
    wal::{self, LogTail},
};
use baton_span_ports::SpanStoreError;
use baton_types::Span;
use std::{
    collections::{BTreeMap, VecDeque},
    fs,
    sync::Arc,
};
use tokio::sync::watch;

/// Durable end of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SyncedPosition {
    /// Number of the current log file.
    pub(super) file: u64,
    /// Its synced length.
    pub(super) byte: u64,
}

/// A log reader, created by [`EmbeddedSpanStore::log_reader`]. It remains usable after the store is closed.
pub struct SpanLogReader {
    name: String,
    store: Arc<StoreState>,
    synced: watch::Receiver<SyncedPosition>,
    tail: Option<LogTail>,
    /// Spans of the current frame that were not returned yet.
    buffered: VecDeque<Span>,
    position: LogPosition,
    /// Number of unreadable frames; each had at least one span.
    damaged_frames: u64,
}

/// Spans in log order, and the position after them.
#[derive(Debug, Default)]
pub struct SpanLogBatch {
    /// The spans.
    pub spans: Vec<Span>,
    /// Position of the next span.
    pub end: LogPosition,
}

impl EmbeddedSpanStore {
    /// A reader of the log with one of the names in the options; `None` for other names, or without a log.
    pub fn log_reader(&self, name: &str) -> Option<SpanLogReader> {
        let position = self.store.paths.as_ref()?.log_retention.position(name)?;
        Some(SpanLogReader {
            name: name.to_owned(),
            store: Arc::clone(&self.store),
            synced: self.store.synced.subscribe(),
            tail: None,
            buffered: VecDeque::new(),
            position,
            damaged_frames: 0,
        })
    }
}

impl SpanLogReader {
    /// Resolves when there are unread spans.
    pub async fn wait_for_spans(&mut self) {
        let (ahead, position) = (self.buffered.is_empty(), self.position);
        if !ahead {
            return;
        }
        let beyond = |synced: &SyncedPosition| (synced.file, synced.byte) > (position.file, position.byte);
        // A recreated log may be shorter: then the positions cannot be compared.
        let known = self.tail.is_some();
        if self.synced.wait_for(|synced| !known || beyond(synced)).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Reads the next spans, approximately within the limits and at least one if there is one; empty at the end of the
    /// log.
    pub fn read(&mut self, most_spans: usize, most_bytes: usize) -> Result<SpanLogBatch, SpanStoreError> {
        let (mut spans, mut bytes) = (Vec::new(), 0);
        while spans.len() < most_spans && bytes < most_bytes {
            let Some(span) = self.buffered.pop_front() else {
                if self.advance()? {
                    continue;
                }
                break;
            };
            let length = codec::encoded_len(&span);
            if bytes + length > most_bytes && !spans.is_empty() {
                self.buffered.push_front(span);
                break;
            }
            bytes += length;
            spans.push(span);
            self.count_read();
        }
        Ok(SpanLogBatch { spans, end: self.position })
    }

    /// Counts a span as read; moves past the frame when all its spans are read.
    fn count_read(&mut self) {
        self.position.spans += 1;
        if self.buffered.is_empty()
            && let Some(tail) = &self.tail
        {
            self.position = LogPosition { byte: tail.at(), spans: 0, ..self.position };
        }
    }

    /// Moves to the next frame, in this file or the next one; false at the end of the log.
    fn advance(&mut self) -> Result<bool, SpanStoreError> {
        let store = Arc::clone(&self.store);
        let Some(paths) = &store.paths else { return Ok(false) };
        let synced = *self.synced.borrow_and_update();
        if self.tail.is_none() || self.position.file <= paths.log_retention.last_deleted() {
            self.tail = self.resume(paths, synced)?;
        }
        let Some(tail) = &mut self.tail else { return Ok(false) };
        let end = if self.position.file == synced.file { synced.byte } else { tail.length()? };
        match tail.next(end) {
            Ok(Some(spans)) => {
                self.buffered = spans.into();
                let before = usize::try_from(self.position.spans).unwrap_or(usize::MAX).min(self.buffered.len());
                self.buffered.drain(..before);
                if self.buffered.is_empty() {
                    self.position = LogPosition { byte: tail.at(), spans: 0, ..self.position };
                }
                return Ok(true);
            }
            Ok(None) => {}
            Err(error @ SpanStoreError::Corrupt(_)) => {
                if self.damaged_frames == 0 {
                    tracing::warn!(%error, reader = self.name, "a log file is damaged; some spans are not forwarded");
                }
                self.damaged_frames += 1;
                let next = next_frame_offset(paths, self.position.file, (tail.at(), end), &tail.marker());
                tail.seek(next.unwrap_or(end));
                self.position = LogPosition { byte: tail.at(), spans: 0, ..self.position };
                if next.is_some() {
                    return Ok(true);
                }
            }
            Err(error) => return Err(error),
        }
        if self.position.file >= synced.file {
            return Ok(false);
        }
        let next = files(paths)?.into_keys().find(|number| *number > self.position.file);
        match next {
            Some(number) => self.open_from_start(paths, number),
            None => Ok(false),
        }
    }

    /// Opens a file at its beginning.
    fn open_from_start(&mut self, paths: &StorePaths, number: u64) -> Result<bool, SpanStoreError> {
        let Some(tail) = open(paths, number)? else { return Ok(false) };
        self.position = LogPosition { file: number, marker: tail.marker(), byte: tail.at(), spans: 0 };
        self.tail = Some(tail);
        Ok(true)
    }

    /// Opens the file at the position of the reader; the next one if it was deleted, the oldest one if the log was
    /// recreated.
    fn resume(&mut self, paths: &StorePaths, synced: SyncedPosition) -> Result<Option<LogTail>, SpanStoreError> {
        let files = files(paths)?;
        let here = open(paths, self.position.file)?;
        let same = here.filter(|tail| tail.marker() == self.position.marker);
        if let Some(mut tail) = same {
            tail.seek(self.position.byte);
            return Ok(Some(tail));
        }
        let anew = self.position.file > synced.file || files.contains_key(&self.position.file);
        let next = files.into_keys().find(|number| anew || *number > self.position.file);
        if let Some(number) = next {
            self.open_from_start(paths, number)?;
        }
        Ok(self.tail.take())
    }

    /// Makes a position durable: spans before it are not read again, nor retained for this reader.
    pub fn save_position(&self, through: LogPosition) -> Result<(), SpanStoreError> {
        self.store.paths.as_ref().map_or(Ok(()), |paths| paths.log_retention.save_position(&self.name, through))
    }

    /// Number of spans deleted before they were read because of the size limit, plus one per damaged frame.
    pub fn lost(&self) -> u64 {
        self.damaged_frames + self.store.paths.as_ref().map_or(0, |paths| paths.log_retention.dropped_spans(&self.name))
    }

    /// Position of the next span.
    pub fn position(&self) -> LogPosition {
        self.position
    }

    /// Number of bytes in the log after that position.
    pub fn pending_bytes(&self, position: LogPosition) -> u64 {
        let Some(files) = self.store.paths.as_ref().and_then(|paths| files(paths).ok()) else { return 0 };
        let behind = files.into_iter().filter(|(number, _)| *number >= position.file);
        behind
            .map(|(number, bytes)| if number == position.file { bytes.saturating_sub(position.byte) } else { bytes })
            .sum()
    }
}

/// Opens a log file. The log directory is tried first, because files move from there to the retention directory.
fn open(paths: &StorePaths, number: u64) -> Result<Option<LogTail>, SpanStoreError> {
    match LogTail::open(&paths.log.join(wal::log_file_name(number)))? {
        Some(tail) => Ok(Some(tail)),
        None => LogTail::open(&paths.log_retention.path(number)),
    }
}

/// Offset of the next frame marker after a damaged frame, whose length is unknown.
fn next_frame_offset(paths: &StorePaths, number: u64, (damaged, end): (u64, u64), marker: &[u8; 8]) -> Option<u64> {
    let named = [paths.log.join(wal::log_file_name(number)), paths.log_retention.path(number)];
    let bytes = named.iter().find_map(|path| fs::read(path).ok())?;
    let position = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
    let (from, until) = (position(damaged + 1), position(end));
    let found = bytes[from..until.max(from)].windows(marker.len()).position(|bytes| bytes == marker);
    Some((from + found?) as u64)
}

/// All log files and their lengths.
fn files(paths: &StorePaths) -> Result<BTreeMap<u64, u64>, SpanStoreError> {
    let mut files = BTreeMap::new();
    for name in crate::disk::names(&paths.log)? {
        if let Some(number) = wal::log_file_number(&name) {
            files.insert(number, fs::metadata(paths.log.join(&name)).map_or(0, |file| file.len()));
        }
    }
    // Listed last: a file that is moved meanwhile is seen twice rather than missed.
    files.extend(paths.log_retention.files());
    Ok(files)
}
