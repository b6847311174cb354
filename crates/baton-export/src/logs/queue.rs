//! Bounded in-memory queue of log lines.

use super::LogLayer;
use baton_otlp::LogLine;
use baton_types::SpanValue;
use std::{
    collections::VecDeque,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};
use tokio::sync::watch;

/// Maximum number of queued lines; beyond it, the oldest are dropped.
const MAX_QUEUED_LINES: usize = 2048;
/// Maximum size of the queued lines, in bytes.
const MAX_QUEUED_BYTES: usize = 8 << 20;
/// Memory overhead of a line besides its text.
const LINE_OVERHEAD_BYTES: usize = 128;

/// Queue of log lines to export; clones share it. Lines are queued from the start of the process, so that the first
/// lines are included when the export starts.
#[derive(Clone)]
pub struct LogQueue(Arc<LogQueueInner>);

struct LogQueueInner {
    open: AtomicBool,
    state: Mutex<LogQueueState>,
    /// Sequence number of the next line.
    next: watch::Sender<u64>,
}

#[derive(Default)]
struct LogQueueState {
    /// Lines with their estimated sizes.
    lines: VecDeque<(Arc<LogLine>, usize)>,
    bytes: usize,
    /// Sequence number of the first queued line.
    first: u64,
    /// Cursors by reader; `None` for a reader that has ended.
    cursors: Vec<Option<LogCursor>>,
}

#[derive(Clone, Copy, Default)]
struct LogCursor {
    next: u64,
    dropped: u64,
}

impl Default for LogQueue {
    fn default() -> Self {
        let shared =
            LogQueueInner { open: AtomicBool::new(true), state: Mutex::default(), next: watch::Sender::new(0) };
        Self(Arc::new(shared))
    }
}

impl fmt::Debug for LogQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogQueue").field("lines", &self.state().lines.len()).finish_non_exhaustive()
    }
}

impl LogQueue {
    /// Tracing layer that captures lines for this queue.
    pub fn layer(&self) -> LogLayer {
        LogLayer(self.clone())
    }

    /// Closes the queue and discards its lines; used if no target exports logs.
    pub fn close(&self) {
        self.0.open.store(false, Ordering::Relaxed);
        *self.state() = LogQueueState::default();
    }

    pub(super) fn is_open(&self) -> bool {
        self.0.open.load(Ordering::Relaxed)
    }

    /// Adds a line; the oldest lines are dropped if the queue is full.
    pub(super) fn push(&self, line: LogLine) {
        let bytes = estimate_bytes(&line);
        let mut state = self.state();
        while !state.lines.is_empty()
            && (state.lines.len() >= MAX_QUEUED_LINES || state.bytes + bytes > MAX_QUEUED_BYTES)
        {
            state.drop_oldest();
        }
        state.lines.push_back((Arc::new(line), bytes));
        state.bytes += bytes;
        let next = state.end();
        drop(state);
        // Concurrent writers may notify out of order; the highest number wins.
        self.0.next.send_if_modified(|known| {
            let news = next > *known;
            *known = next.max(*known);
            news
        });
    }

    /// Reader of all queued and future lines.
    pub(crate) fn reader(&self) -> LogReader {
        let mut state = self.state();
        let cursor = LogCursor { next: state.first, dropped: 0 };
        state.cursors.push(Some(cursor));
        LogReader { queue: self.clone(), number: state.cursors.len() - 1, news: self.0.next.subscribe() }
    }

    fn state(&self) -> MutexGuard<'_, LogQueueState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LogQueueState {
    fn end(&self) -> u64 {
        self.first + self.lines.len() as u64
    }

    fn drop_oldest(&mut self) {
        let Some((_, bytes)) = self.lines.pop_front() else { return };
        self.bytes -= bytes;
        self.first += 1;
        let first = self.first;
        for cursor in self.cursors.iter_mut().flatten().filter(|cursor| cursor.next < first) {
            cursor.next = first;
            cursor.dropped += 1;
        }
    }

    /// Drops lines that all readers have read.
    fn drop_consumed(&mut self) {
        let Some(needed) = self.cursors.iter().flatten().map(|cursor| cursor.next).min() else { return };
        while self.first < needed {
            self.drop_oldest();
        }
    }
}

/// Reads lines for one target.
pub(crate) struct LogReader {
    queue: LogQueue,
    number: usize,
    news: watch::Receiver<u64>,
}

impl LogReader {
    fn cursor(&self) -> LogCursor {
        self.queue.state().cursors.get(self.number).copied().flatten().unwrap_or_default()
    }

    /// Resolves when lines are available.
    pub(crate) async fn wait_for_lines(&mut self) {
        let next = self.cursor().next;
        // The queue holds the sender, so the channel stays open.
        let _ = self.news.wait_for(|end| *end > next).await;
    }

    /// Takes the next lines, at most `most`, and advances the cursor.
    pub(crate) fn take(&mut self, max_lines: usize) -> Vec<Arc<LogLine>> {
        let mut state = self.queue.state();
        let first = state.first;
        let Some(Some(cursor)) = state.cursors.get(self.number).copied() else { return Vec::new() };
        let skipped = usize::try_from(cursor.next - first).unwrap_or(usize::MAX);
        let lines: Vec<_> =
            state.lines.iter().skip(skipped).take(max_lines).map(|(line, _)| Arc::clone(line)).collect();
        if let Some(Some(cursor)) = state.cursors.get_mut(self.number) {
            cursor.next += lines.len() as u64;
        }
        state.drop_consumed();
        lines
    }

    /// Number of lines dropped before they were read.
    pub(crate) fn dropped_lines(&self) -> u64 {
        self.cursor().dropped
    }

    /// Number of unread bytes in the queue.
    pub(crate) fn queued_bytes(&self) -> u64 {
        let state = self.queue.state();
        let next = state.cursors.get(self.number).copied().flatten().unwrap_or_default().next;
        let skipped = usize::try_from(next.saturating_sub(state.first)).unwrap_or(usize::MAX);
        state.lines.iter().skip(skipped).map(|(_, bytes)| *bytes as u64).sum()
    }
}

impl Drop for LogReader {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        if let Some(cursor) = state.cursors.get_mut(self.number) {
            *cursor = None;
        }
        if state.cursors.iter().any(Option::is_some) {
            state.drop_consumed();
        } else {
            drop(state);
            self.queue.close();
        }
    }
}

/// Estimated memory of a line.
fn estimate_bytes(line: &LogLine) -> usize {
    let value = |value: &SpanValue| if let SpanValue::Text(text) = value { text.len() } else { 8 };
    let attributes: usize = line.attributes.iter().map(|(key, held)| key.len() + value(held) + 48).sum();
    LINE_OVERHEAD_BYTES + line.scope.len() + line.message.len() + attributes
}
