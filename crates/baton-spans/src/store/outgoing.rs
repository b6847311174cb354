//! Reads the log to forward spans: in order of storage, resuming at the position of the reader.

use super::{
    embedded::{EmbeddedSpans, Places, Store},
    hold::LogPlace,
};
use crate::{
    codec,
    wal::{self, Tail},
};
use baton_ports::SpanStoreError;
use baton_types::Span;
use std::{
    collections::{BTreeMap, VecDeque},
    fs,
    sync::Arc,
};
use tokio::sync::watch;

/// Durable end of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Synced {
    /// Number of the current log file.
    pub(super) file: u64,
    /// Its synced length.
    pub(super) byte: u64,
}

/// A log reader, created by [`EmbeddedSpans::outgoing`]. It remains usable after the store is closed.
pub struct Outgoing {
    name: String,
    store: Arc<Store>,
    synced: watch::Receiver<Synced>,
    tail: Option<Tail>,
    /// Spans of the current frame that were not returned yet.
    ahead: VecDeque<Span>,
    place: LogPlace,
    /// Number of unreadable frames; each had at least one span.
    damaged: u64,
}

/// Spans in log order, and the position after them.
#[derive(Debug, Default)]
pub struct Parcel {
    /// The spans.
    pub spans: Vec<Span>,
    /// Position of the next span.
    pub through: LogPlace,
}

impl EmbeddedSpans {
    /// A reader of the log with one of the names in the options; `None` for other names, or without a log.
    pub fn outgoing(&self, name: &str) -> Option<Outgoing> {
        let place = self.store.places.as_ref()?.held.place(name)?;
        Some(Outgoing {
            name: name.to_owned(),
            store: Arc::clone(&self.store),
            synced: self.store.synced.subscribe(),
            tail: None,
            ahead: VecDeque::new(),
            place,
            damaged: 0,
        })
    }
}

impl Outgoing {
    /// Resolves when there are unread spans.
    pub async fn more(&mut self) {
        let (ahead, place) = (self.ahead.is_empty(), self.place);
        if !ahead {
            return;
        }
        let beyond = |synced: &Synced| (synced.file, synced.byte) > (place.file, place.byte);
        // A recreated log may be shorter: then the positions cannot be compared.
        let known = self.tail.is_some();
        if self.synced.wait_for(|synced| !known || beyond(synced)).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Reads the next spans, approximately within the limits and at least one if there is one; empty at the end of the
    /// log.
    pub fn read(&mut self, most_spans: usize, most_bytes: usize) -> Result<Parcel, SpanStoreError> {
        let (mut spans, mut bytes) = (Vec::new(), 0);
        while spans.len() < most_spans && bytes < most_bytes {
            let Some(span) = self.ahead.pop_front() else {
                if self.advance()? {
                    continue;
                }
                break;
            };
            let length = codec::length(&span);
            if bytes + length > most_bytes && !spans.is_empty() {
                self.ahead.push_front(span);
                break;
            }
            bytes += length;
            spans.push(span);
            self.step();
        }
        Ok(Parcel { spans, through: self.place })
    }

    /// Counts a span as read; moves past the frame when all its spans are read.
    fn step(&mut self) {
        self.place.spans += 1;
        if self.ahead.is_empty()
            && let Some(tail) = &self.tail
        {
            self.place = LogPlace { byte: tail.at(), spans: 0, ..self.place };
        }
    }

    /// Moves to the next frame, in this file or the next one; false at the end of the log.
    fn advance(&mut self) -> Result<bool, SpanStoreError> {
        let store = Arc::clone(&self.store);
        let Some(places) = &store.places else { return Ok(false) };
        let synced = *self.synced.borrow_and_update();
        if self.tail.is_none() || self.place.file <= places.held.gone() {
            self.tail = self.take_up(places, synced)?;
        }
        let Some(tail) = &mut self.tail else { return Ok(false) };
        let end = if self.place.file == synced.file { synced.byte } else { tail.length()? };
        match tail.next(end) {
            Ok(Some(spans)) => {
                self.ahead = spans.into();
                let before = usize::try_from(self.place.spans).unwrap_or(usize::MAX).min(self.ahead.len());
                self.ahead.drain(..before);
                if self.ahead.is_empty() {
                    self.place = LogPlace { byte: tail.at(), spans: 0, ..self.place };
                }
                return Ok(true);
            }
            Ok(None) => {}
            Err(error @ SpanStoreError::Corrupt(_)) => {
                if self.damaged == 0 {
                    tracing::warn!(%error, reader = self.name, "a log file is damaged; some spans are not forwarded");
                }
                self.damaged += 1;
                let next = frame_behind(places, self.place.file, (tail.at(), end), &tail.marker());
                tail.go_to(next.unwrap_or(end));
                self.place = LogPlace { byte: tail.at(), spans: 0, ..self.place };
                if next.is_some() {
                    return Ok(true);
                }
            }
            Err(error) => return Err(error),
        }
        if self.place.file >= synced.file {
            return Ok(false);
        }
        let next = files(places)?.into_keys().find(|number| *number > self.place.file);
        match next {
            Some(number) => self.enter(places, number),
            None => Ok(false),
        }
    }

    /// Opens a file at its beginning.
    fn enter(&mut self, places: &Places, number: u64) -> Result<bool, SpanStoreError> {
        let Some(tail) = open(places, number)? else { return Ok(false) };
        self.place = LogPlace { file: number, marker: tail.marker(), byte: tail.at(), spans: 0 };
        self.tail = Some(tail);
        Ok(true)
    }

    /// Opens the file at the position of the reader; the next one if it was deleted, the oldest one if the log was
    /// recreated.
    fn take_up(&mut self, places: &Places, synced: Synced) -> Result<Option<Tail>, SpanStoreError> {
        let files = files(places)?;
        let here = open(places, self.place.file)?;
        let same = here.filter(|tail| tail.marker() == self.place.marker);
        if let Some(mut tail) = same {
            tail.go_to(self.place.byte);
            return Ok(Some(tail));
        }
        let anew = self.place.file > synced.file || files.contains_key(&self.place.file);
        let next = files.into_keys().find(|number| anew || *number > self.place.file);
        if let Some(number) = next {
            self.enter(places, number)?;
        }
        Ok(self.tail.take())
    }

    /// Makes a position durable: spans before it are not read again, nor retained for this reader.
    pub fn settle(&self, through: LogPlace) -> Result<(), SpanStoreError> {
        self.store.places.as_ref().map_or(Ok(()), |places| places.held.settle(&self.name, through))
    }

    /// Number of spans deleted before they were read because of the size limit, plus one per damaged frame.
    pub fn lost(&self) -> u64 {
        self.damaged + self.store.places.as_ref().map_or(0, |places| places.held.lost(&self.name))
    }

    /// Position of the next span.
    pub fn place(&self) -> LogPlace {
        self.place
    }

    /// Number of bytes in the log after that position.
    pub fn waiting(&self, place: LogPlace) -> u64 {
        let Some(files) = self.store.places.as_ref().and_then(|places| files(places).ok()) else { return 0 };
        let behind = files.into_iter().filter(|(number, _)| *number >= place.file);
        behind.map(|(number, bytes)| if number == place.file { bytes.saturating_sub(place.byte) } else { bytes }).sum()
    }
}

/// Opens a log file. The log directory is tried first, because files move from there to the retention directory.
fn open(places: &Places, number: u64) -> Result<Option<Tail>, SpanStoreError> {
    match Tail::open(&places.log.join(wal::name_of(number)))? {
        Some(tail) => Ok(Some(tail)),
        None => Tail::open(&places.held.path(number)),
    }
}

/// Offset of the next frame marker after a damaged frame, whose length is unknown.
fn frame_behind(places: &Places, number: u64, (damaged, end): (u64, u64), marker: &[u8; 8]) -> Option<u64> {
    let named = [places.log.join(wal::name_of(number)), places.held.path(number)];
    let bytes = named.iter().find_map(|path| fs::read(path).ok())?;
    let position = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
    let (from, until) = (position(damaged + 1), position(end));
    let found = bytes[from..until.max(from)].windows(marker.len()).position(|bytes| bytes == marker);
    Some((from + found?) as u64)
}

/// All log files and their lengths.
fn files(places: &Places) -> Result<BTreeMap<u64, u64>, SpanStoreError> {
    let mut files = BTreeMap::new();
    for name in crate::disk::names(&places.log)? {
        if let Some(number) = wal::number_of(&name) {
            files.insert(number, fs::metadata(places.log.join(&name)).map_or(0, |file| file.len()));
        }
    }
    // Listed last: a file that is moved meanwhile is seen twice rather than missed.
    files.extend(places.held.files());
    Ok(files)
}
