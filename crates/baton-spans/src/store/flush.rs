//! Flushes full heads to blocks.

use super::{
    embedded::{EmbeddedSpanStore, StorePaths, StoreState, closed},
    view::{FrozenGeneration, StoredBlock},
};
use crate::{
    block::{self, BlockInputs},
    options::SpanStoreOptions,
    wal,
};
use baton_span_ports::SpanStoreError;
use baton_types::{Backoff, BackoffPolicy, SpanClass};
use parking_lot::{Condvar, Mutex};
use std::{
    sync::{Arc, atomic::Ordering},
    thread,
    time::Duration,
};
use tokio::sync::watch;

/// Maximum number of frozen generations; beyond it, ingestion blocks.
pub(super) const MAX_FROZEN: usize = 2;
/// After a block that could not be written.
const BLOCK_RETRY: BackoffPolicy = BackoffPolicy::new(Duration::from_millis(200), Duration::from_secs(30));

/// State of the flusher.
pub(super) struct FlushState {
    state: Mutex<FlushControl>,
    changed: Condvar,
    progress: watch::Sender<FlushProgress>,
}

#[derive(Default)]
struct FlushControl {
    failed: Option<SpanStoreError>,
    stop: bool,
}

#[derive(Clone, Debug, Default)]
struct FlushProgress {
    /// Generations up to this number are in blocks.
    done: u64,
    failed: Option<SpanStoreError>,
}

impl Default for FlushState {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            changed: Condvar::new(),
            progress: watch::Sender::new(FlushProgress::default()),
        }
    }
}

impl FlushState {
    pub(super) fn wake(&self) {
        // Under the lock, so that no thread misses the notification between its check and its wait.
        let _state = self.state.lock();
        self.changed.notify_all();
    }

    /// Reports the failure to all waiters.
    fn fail(&self, error: SpanStoreError) {
        self.progress.send_modify(|progress| progress.failed = Some(error.clone()));
        self.state.lock().failed = Some(error);
        self.changed.notify_all();
    }

    /// Stops after the frozen generations are flushed, or at the first failure.
    pub(super) fn stop(&self) {
        self.state.lock().stop = true;
        self.changed.notify_all();
    }
}

impl StoreState {
    /// Waits until another generation may be frozen.
    pub(super) fn wait_for_room(&self) -> Result<(), SpanStoreError> {
        if self.paths.is_none() {
            return Ok(());
        }
        let mut state = self.flush.state.lock();
        while self.view().frozen.len() >= MAX_FROZEN {
            if let Some(error) = &state.failed {
                return Err(error.clone());
            }
            if state.stop {
                return Err(closed());
            }
            self.flush.changed.wait(&mut state);
        }
        Ok(())
    }

    /// Main loop of the flusher thread.
    pub(super) fn flush_until_stopped(&self, paths: &StorePaths) {
        let _ending = FlusherGuard(&self.flush);
        let mut generation_blocks = GenerationBlocks::default();
        let mut backoff = Backoff::new(BLOCK_RETRY);
        while let Some(frozen) = self.next_frozen() {
            match generation_blocks.write(&frozen, paths, &self.options) {
                Ok(blocks) => {
                    self.publish_blocks(&frozen, blocks, paths);
                    backoff.reset();
                }
                Err(error) => {
                    tracing::error!(%error, "a block could not be written; its spans stay in memory and in the log");
                    if self.wait_after_failure(error, backoff.next_delay()) {
                        return;
                    }
                }
            }
        }
    }

    fn next_frozen(&self) -> Option<FrozenGeneration> {
        let mut state = self.flush.state.lock();
        loop {
            if let Some(frozen) = self.view().frozen.first() {
                return Some(frozen.clone());
            }
            if state.stop {
                return None;
            }
            self.flush.changed.wait(&mut state);
        }
    }

    /// Reports the failure and waits; returns whether to stop.
    fn wait_after_failure(&self, error: SpanStoreError, pause: Duration) -> bool {
        self.flush.fail(error);
        let mut state = self.flush.state.lock();
        if !state.stop {
            self.flush.changed.wait_for(&mut state, pause);
        }
        state.stop
    }

    /// Replaces the heads with the blocks in the view and releases their log file.
    fn publish_blocks(&self, frozen: &FrozenGeneration, blocks: Vec<StoredBlock>, paths: &StorePaths) {
        let number = frozen.generation.number;
        self.change_view(|view| {
            view.frozen.retain(|other| other.generation.number != number);
            view.blocks.extend(blocks);
        });
        let freed = release_log(paths, number, &self.options);
        self.log_bytes.fetch_sub(freed, Ordering::Relaxed);
        let mut state = self.flush.state.lock();
        state.failed = None;
        self.flush.changed.notify_all();
        drop(state);
        self.flush.progress.send_modify(|progress| *progress = FlushProgress { done: number, failed: None });
        self.keeper.wake();
    }
}

/// Marks the flusher as stopped when its thread ends, even by a panic, so that no thread waits for it.
struct FlusherGuard<'a>(&'a FlushState);

impl Drop for FlusherGuard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let message = "the thread that writes blocks has failed; restart Baton, no stored span is lost";
            self.0.fail(SpanStoreError::Unavailable(message.to_owned()));
        }
        self.0.stop();
    }
}

impl EmbeddedSpanStore {
    /// Flushes all spans ingested before to blocks, regardless of their number and age.
    pub async fn flush(&self) -> Result<(), SpanStoreError> {
        let flushed = self.store.queue.request_flush().ok_or(SpanStoreError::Busy)?;
        let number = flushed.await.map_err(|_| closed())?;
        let frozen = self.store.view().frozen.iter().any(|frozen| frozen.generation.number <= number);
        if self.store.paths.is_none() || !frozen {
            return Ok(());
        }
        let mut progress = self.store.flush.progress.subscribe();
        let progress = progress.wait_for(|progress| progress.done >= number || progress.failed.is_some()).await;
        match progress.map_err(|_| closed())?.failed.clone() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }
}

/// Blocks of a generation that is not completely written: finished ones are not written again on a retry.
#[derive(Default)]
pub(super) struct GenerationBlocks {
    blocks: Vec<(SpanClass, StoredBlock)>,
}

impl GenerationBlocks {
    /// Writes the blocks of a generation; they are durable when this returns.
    pub(super) fn write(
        &mut self,
        frozen: &FrozenGeneration,
        paths: &StorePaths,
        options: &SpanStoreOptions,
    ) -> Result<Vec<StoredBlock>, SpanStoreError> {
        let generation = &frozen.generation;
        let heads = [
            (SpanClass::Telemetry, "telemetry", &generation.telemetry),
            (SpanClass::Memory, "memory", &generation.memory),
        ];
        for (class, prefix, head) in heads {
            if head.spans_len() == 0 || self.blocks.iter().any(|(written_class, _)| *written_class == class) {
                continue;
            }
            let directory = paths.blocks.join(format!("{prefix}-{:010}", generation.number));
            let marks = frozen.marks.as_ref().clone();
            let covers = BlockInputs { log: vec![generation.number], blocks: Vec::new(), marks };
            let block = Arc::new(block::write(&directory, head, covers)?);
            options.probe.step("block written");
            self.blocks.push((class, StoredBlock { block, written: (options.now)() }));
        }
        Ok(std::mem::take(&mut self.blocks).into_iter().map(|(_, stored)| stored).collect())
    }
}

/// Releases a log file whose spans are all in blocks; returns its length.
pub(super) fn release_log(paths: &StorePaths, number: u64, options: &SpanStoreOptions) -> u64 {
    let path = paths.log.join(wal::log_file_name(number));
    let length = std::fs::metadata(&path).map_or(0, |file| file.len());
    // Synced, so that files disappear in numeric order and a gap can only mean damage.
    if let Err(error) = paths.log_retention.release(&paths.log, number) {
        tracing::warn!(%error, "an obsolete log file could not be removed; it stays until the next start");
    }
    options.probe.step("log deleted");
    length
}
