//! Opening a store.

use super::{
    embedded::{EmbeddedSpanStore, StorePaths, StoreState},
    log_reader::SyncedPosition,
    log_retention::LogRetention,
    recover::{RecoveredStore, recover},
    view::{HeadGeneration, StoreView},
    writer::StoreWriter,
};
use crate::{
    options::SpanStoreOptions,
    wal::{LogFile, Watermarks},
};
use baton_span_ports::SpanStoreError;
use parking_lot::Mutex;
use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    thread::{self, JoinHandle},
};

/// Quarantine folder for damaged files.
pub(super) const DAMAGED_FOLDER: &str = "damaged";
pub(super) const BLOCKS_FOLDER: &str = "blocks";

impl EmbeddedSpanStore {
    /// Opens or creates the store in that directory. No other process may have it open. Damaged files are quarantined,
    /// so that the rest remains usable.
    pub fn open(directory: &Path, options: SpanStoreOptions) -> Result<Arc<Self>, SpanStoreError> {
        let damaged = directory.join(DAMAGED_FOLDER);
        let mut set_aside = Vec::new();
        let held = LogRetention::open(directory.join("outgoing"), &options.log_retention, &damaged, &mut set_aside)?;
        let paths = StorePaths {
            log: directory.join("log"),
            blocks: directory.join(BLOCKS_FOLDER),
            damaged,
            log_retention: held,
        };
        let RecoveredStore { view, marks, log, log_bytes } = recover(&paths, &options, &mut set_aside)?;
        let store = StoreState::new(options, Some(paths), view, marks);
        store.log_bytes.store(log_bytes, Ordering::Relaxed);
        store.synced.send_replace(SyncedPosition { file: store.view().active.number, byte: log.length() });
        Self::start(store, Some(log), set_aside)
    }

    /// A store that keeps the latest spans in memory and nothing on disk.
    pub fn in_memory(options: SpanStoreOptions) -> Result<Arc<Self>, SpanStoreError> {
        let view = StoreView { active: Arc::new(HeadGeneration::new(1)), frozen: Vec::new(), blocks: Vec::new() };
        Self::start(StoreState::new(options, None, view, Watermarks::new()), None, Vec::new())
    }

    fn start(store: StoreState, log: Option<LogFile>, set_aside: Vec<PathBuf>) -> Result<Arc<Self>, SpanStoreError> {
        let store = Arc::new(store);
        // From here on, dropping `spans` on failure ends the threads already started.
        let spans = Arc::new(Self { store: Arc::clone(&store), threads: Mutex::default(), quarantined: set_aside });
        let writer = StoreWriter::new(Arc::clone(&store), log);
        spans.spawn_thread("spans-writer", move || writer.run())?;
        if store.paths.is_some() {
            let flusher = Arc::clone(&store);
            spans.spawn_thread("spans-flusher", move || {
                if let Some(paths) = &flusher.paths {
                    flusher.flush_until_stopped(paths);
                }
            })?;
            spans.spawn_thread("spans-keeper", move || store.run_keeper())?;
        }
        Ok(spans)
    }

    fn spawn_thread(&self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), SpanStoreError> {
        let begun: io::Result<JoinHandle<()>> = thread::Builder::new().name(name.to_owned()).spawn(work);
        let thread = begun
            .map_err(|error| SpanStoreError::Unavailable(format!("the thread {name} could not be started: {error}")))?;
        self.threads.lock().push(thread);
        Ok(())
    }
}
