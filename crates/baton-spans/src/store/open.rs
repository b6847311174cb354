//! Opening a store.

use super::{
    embedded::{EmbeddedSpans, Places, Store},
    hold::Held,
    outgoing::Synced,
    recover::{Recovered, recover},
    view::{Generation, View},
    writer::Writer,
};
use crate::{
    options::Options,
    wal::{LogFile, Marks},
};
use baton_ports::SpanStoreError;
use parking_lot::Mutex;
use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, atomic::Ordering},
    thread::{self, JoinHandle},
};

/// Quarantine folder for damaged files.
pub(super) const DAMAGED: &str = "damaged";
pub(super) const BLOCKS: &str = "blocks";

impl EmbeddedSpans {
    /// Opens or creates the store in that directory. No other process may have it open. Damaged files are quarantined,
    /// so that the rest remains usable.
    pub fn open(directory: &Path, options: Options) -> Result<Arc<Self>, SpanStoreError> {
        let damaged = directory.join(DAMAGED);
        let mut set_aside = Vec::new();
        let held = Held::open(directory.join("outgoing"), &options.hold, &damaged, &mut set_aside)?;
        let places = Places { log: directory.join("log"), blocks: directory.join(BLOCKS), damaged, held };
        let Recovered { view, marks, log, log_bytes } = recover(&places, &options, &mut set_aside)?;
        let store = Store::new(options, Some(places), view, marks);
        store.log_bytes.store(log_bytes, Ordering::Relaxed);
        store.synced.send_replace(Synced { file: store.view().active.number, byte: log.length() });
        Self::start(store, Some(log), set_aside)
    }

    /// A store that keeps the latest spans in memory and nothing on disk.
    pub fn in_memory(options: Options) -> Result<Arc<Self>, SpanStoreError> {
        let view = View { active: Arc::new(Generation::new(1)), frozen: Vec::new(), blocks: Vec::new() };
        Self::start(Store::new(options, None, view, Marks::new()), None, Vec::new())
    }

    fn start(store: Store, log: Option<LogFile>, set_aside: Vec<PathBuf>) -> Result<Arc<Self>, SpanStoreError> {
        let store = Arc::new(store);
        // From here on, dropping `spans` on failure ends the threads already started.
        let spans = Arc::new(Self { store: Arc::clone(&store), threads: Mutex::default(), set_aside });
        let writer = Writer::new(Arc::clone(&store), log);
        spans.begin("spans-writer", move || writer.run())?;
        if store.places.is_some() {
            let flusher = Arc::clone(&store);
            spans.begin("spans-flusher", move || {
                if let Some(places) = &flusher.places {
                    flusher.flush_until_stopped(places);
                }
            })?;
            spans.begin("spans-keeper", move || store.keep_until_closing())?;
        }
        Ok(spans)
    }

    fn begin(&self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), SpanStoreError> {
        let begun: io::Result<JoinHandle<()>> = thread::Builder::new().name(name.to_owned()).spawn(work);
        let thread = begun
            .map_err(|error| SpanStoreError::Unavailable(format!("the thread {name} could not be started: {error}")))?;
        self.threads.lock().push(thread);
        Ok(())
    }
}
