//! The writer thread: syncs queued batches to the log and adds them to the heads.

use super::{
    embedded::StoreState,
    flush::MAX_FROZEN,
    log_reader::SyncedPosition,
    queue::{PendingBatch, WriterWork},
    view::{FrozenGeneration, HeadGeneration},
};
use crate::{
    disk,
    wal::{self, AppendError, LogFile},
};
use baton_span_ports::SpanStoreError;
use std::{
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

/// The only writer of the heads and the log.
pub(super) struct StoreWriter {
    store: Arc<StoreState>,
    /// `None` if everything is in memory.
    log: Option<LogFile>,
    active: Arc<HeadGeneration>,
    /// Arrival of the oldest span in the heads.
    since: Option<Instant>,
    /// Whether nothing may be appended to the current log file: its end is unknown, or the next file already exists.
    unusable: bool,
}

/// Number of generations in memory if there are no blocks.
const IN_MEMORY_GENERATIONS: usize = 4;
/// Approximate maximum size of a log file, whatever the size of the heads.
const MAX_LOG_FILE_BYTES: u64 = 64 << 20;

impl StoreWriter {
    pub(super) fn new(store: Arc<StoreState>, log: Option<LogFile>) -> Self {
        let active = Arc::clone(&store.view().active);
        let since = (active.spans() > 0).then(Instant::now);
        Self { store, log, active, since, unusable: false }
    }

    pub(super) fn run(mut self) {
        loop {
            let WriterWork { group, flushes, closed } = self.store.queue.take(self.due());
            if !group.is_empty() {
                self.store_group(group);
            }
            let is_requested = !flushes.is_empty() || closed && self.active.spans() >= self.store.options.close_spans;
            if is_requested || self.is_full() || self.due().is_some_and(|due| due <= Instant::now()) {
                self.rotate_if_possible();
            }
            for flush in flushes {
                let _ = flush.send(self.active.number.saturating_sub(1));
            }
            if closed {
                return;
            }
        }
    }

    /// When the heads reach their maximum age.
    fn due(&self) -> Option<Instant> {
        self.since.and_then(|since| since.checked_add(self.store.options.head_age))
    }

    fn is_full(&self) -> bool {
        let (options, parts) = (&self.store.options, if self.log.is_some() { 1 } else { IN_MEMORY_GENERATIONS });
        self.active.spans() >= options.head_spans / parts
            || self.active.bytes() >= options.head_bytes / parts
            || self.log.as_ref().is_some_and(|log| log.length() >= MAX_LOG_FILE_BYTES)
    }

    /// Stores a group: syncs it to the log, adds it to the heads, and only then acknowledges and publishes it.
    fn store_group(&mut self, group: Vec<PendingBatch>) {
        if let Err(error) = self.make_room().and_then(|()| self.log_group(&group)) {
            for waiting in group {
                let _ = waiting.done.send(Err(error.clone()));
            }
            return;
        }
        self.store.options.probe.step("log synced");
        self.since.get_or_insert_with(Instant::now);
        let shown: Vec<_> = group.iter().map(|waiting| self.add_to_heads(waiting)).collect();
        let mut marks = self.store.marks.lock();
        for (name, position) in group.iter().filter_map(|waiting| waiting.mark) {
            let known = marks.entry(name.to_owned()).or_insert(position);
            *known = position.max(*known);
        }
        drop(marks);
        let mut entries = Vec::with_capacity(group.len());
        for (waiting, shown) in group.into_iter().zip(shown) {
            let _ = waiting.done.send(shown);
            entries.push(waiting.entry);
        }
        entries.iter().for_each(|entry| self.store.feed.publish(entry));
    }

    fn log_group(&mut self, group: &[PendingBatch]) -> Result<(), SpanStoreError> {
        let Some(log) = &mut self.log else { return Ok(()) };
        let before = log.length();
        match log.append(group.iter().map(|waiting| waiting.entry.payload.as_slice())) {
            Ok(()) => {
                self.store.log_bytes.fetch_add(log.length() - before, Ordering::Relaxed);
                self.store.synced.send_replace(SyncedPosition { file: self.active.number, byte: log.length() });
                Ok(())
            }
            Err(AppendError { error, permanent: lasting }) => {
                tracing::error!(%error, lasting, "spans could not be written");
                self.unusable = lasting;
                Err(error)
            }
        }
    }

    fn add_to_heads(&self, waiting: &PendingBatch) -> Result<(), SpanStoreError> {
        self.active.telemetry.push_encoded(&waiting.entry)?;
        self.active.memory.push_encoded(&waiting.entry)
    }

    /// Full heads and an unusable log file accept nothing: waits until the heads can be frozen, and rotates.
    fn make_room(&mut self) -> Result<(), SpanStoreError> {
        if !self.is_full() && !self.unusable {
            return Ok(());
        }
        self.store.wait_for_room()?;
        self.rotate()
    }

    fn rotate_if_possible(&mut self) {
        if self.store.view().frozen.len() >= MAX_FROZEN && self.log.is_some() {
            // Restart the age, so that it does not trigger again at once.
            self.since = self.since.map(|_| Instant::now());
            return;
        }
        if let Err(error) = self.rotate() {
            tracing::error!(%error, "the next log file could not be created");
            self.since = self.since.map(|_| Instant::now());
        }
    }

    /// Freezes the heads and starts new ones, with a new log file that begins with all watermarks.
    fn rotate(&mut self) -> Result<(), SpanStoreError> {
        if self.active.spans() == 0
            && !self.unusable
            && self.log.as_ref().is_none_or(|log| log.length() < MAX_LOG_FILE_BYTES)
        {
            self.since = None;
            return Ok(());
        }
        let number = self.active.number + 1;
        let marks = Arc::new(self.store.marks.lock().clone());
        if let (Some(log), Some(paths)) = (&mut self.log, &self.store.paths) {
            if self.unusable {
                // Only the last file may end in an incomplete frame, so this one must be truncated before the next
                // exists.
                log.truncate()?;
            }
            let next = LogFile::create(&paths.log, number, &marks).inspect_err(|_| {
                // The next file may have its final name already. While it exists, nothing may be appended to the
                // current one.
                let next = paths.log.join(wal::log_file_name(number));
                let removed = disk::remove(&next).and_then(|()| disk::sync_directory(&paths.log));
                self.unusable |= removed.is_err();
            })?;
            self.store.log_bytes.fetch_add(next.length(), Ordering::Relaxed);
            self.store.synced.send_replace(SyncedPosition { file: number, byte: next.length() });
            *log = next;
            self.unusable = false;
            self.store.options.probe.step("log begun");
        }
        let next = Arc::new(HeadGeneration::new(number));
        let frozen = FrozenGeneration { generation: std::mem::replace(&mut self.active, Arc::clone(&next)), marks };
        let in_memory = self.log.is_none();
        self.store.change_view(|view| {
            view.active = next;
            view.frozen.push(frozen);
            if in_memory && view.frozen.len() >= IN_MEMORY_GENERATIONS {
                view.frozen.remove(0);
            }
        });
        self.since = None;
        self.store.flush.wake();
        Ok(())
    }
}
