//! The embedded span store.

use super::{
    flush::FlushState,
    log_reader::SyncedPosition,
    log_retention::LogRetention,
    producers::SpanProducers,
    queue::{EnqueueError, IngestQueue, PendingBatch},
    read,
    retain::PendingDeletions,
    view::StoreView,
};
use crate::{
    feed::Feed,
    options::SpanStoreOptions,
    wal::{SpanBatchEncoder, Watermarks},
};
use baton_span_ports::{SpanBatch, SpanStoreError};
use parking_lot::{Condvar, Mutex, RwLock};
use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread::JoinHandle,
};
use tokio::sync::{Semaphore, oneshot, watch};

/// The embedded span store, on disk or in memory only.
pub struct EmbeddedSpanStore {
    pub(crate) store: Arc<StoreState>,
    pub(super) threads: Mutex<Vec<JoinHandle<()>>>,
    /// Paths of the files quarantined at open.
    pub(super) quarantined: Vec<PathBuf>,
}

impl EmbeddedSpanStore {
    /// Paths of the files that could not be read at open, after their quarantine.
    pub fn quarantined_files(&self) -> &[PathBuf] {
        &self.quarantined
    }
}

/// Paths of the store and its retained log.
pub(super) struct StorePaths {
    pub(super) log: PathBuf,
    pub(super) blocks: PathBuf,
    /// Quarantine for damaged files.
    pub(super) damaged: PathBuf,
    /// Log files retained for readers.
    pub(super) log_retention: LogRetention,
}

/// State shared by the threads and the readers.
pub(crate) struct StoreState {
    pub(super) options: SpanStoreOptions,
    /// `None` if everything is in memory.
    pub(super) paths: Option<StorePaths>,
    pub(super) view: RwLock<Arc<StoreView>>,
    pub(super) queue: IngestQueue,
    /// Durable watermarks.
    pub(super) marks: Mutex<Watermarks>,
    pub(crate) feed: Feed,
    /// Durable end of the log.
    pub(super) synced: watch::Sender<SyncedPosition>,
    pub(super) flush: FlushState,
    pub(super) keeper: KeeperSignal,
    /// Locked while blocks are merged or deleted, so that inputs of a merge are not deleted meanwhile.
    pub(super) pending_deletions: Mutex<PendingDeletions>,
    pub(super) closing: AtomicBool,
    pub(super) log_bytes: AtomicU64,
    pub(super) searches: Arc<Semaphore>,
    pub(super) waiting_searches: AtomicUsize,
    /// Limits concurrent streaming reads.
    pub(super) reads: Arc<Semaphore>,
    /// Number of spans emitted in this process that could not be stored.
    pub(crate) dropped: AtomicU64,
    pub(crate) producers: SpanProducers,
}

/// Wakes the keeper thread.
#[derive(Default)]
pub(super) struct KeeperSignal {
    pub(super) woken: Mutex<bool>,
    pub(super) wake: Condvar,
}

impl KeeperSignal {
    pub(super) fn wake(&self) {
        *self.woken.lock() = true;
        self.wake.notify_all();
    }
}

impl StoreState {
    pub(super) fn new(
        options: SpanStoreOptions,
        paths: Option<StorePaths>,
        view: StoreView,
        marks: Watermarks,
    ) -> Self {
        Self {
            queue: IngestQueue::new(options.queue_spans, options.queue_bytes),
            searches: Arc::new(Semaphore::new(options.searches.max(1))),
            options,
            paths,
            view: RwLock::new(Arc::new(view)),
            marks: Mutex::new(marks),
            feed: Feed::default(),
            synced: watch::Sender::default(),
            flush: FlushState::default(),
            keeper: KeeperSignal::default(),
            pending_deletions: Mutex::default(),
            closing: AtomicBool::new(false),
            log_bytes: AtomicU64::new(0),
            waiting_searches: AtomicUsize::new(0),
            reads: Arc::new(Semaphore::new(read::MAX_CONCURRENT_READS)),
            dropped: AtomicU64::new(0),
            producers: SpanProducers::default(),
        }
    }

    pub(super) fn view(&self) -> Arc<StoreView> {
        Arc::clone(&self.view.read())
    }

    /// Replaces the view; the closure must be fast, because readers wait for it.
    pub(super) fn change_view(&self, change: impl FnOnce(&mut StoreView)) {
        let mut current = self.view.write();
        let mut next = StoreView::clone(&current);
        change(&mut next);
        *current = Arc::new(next);
    }

    pub(super) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Encodes and queues a batch; the receiver resolves when it is stored.
    pub(crate) fn submit(&self, batch: SpanBatch) -> Result<IngestReceipt, SpanStoreError> {
        if self.queue.is_full(batch.spans.len()) {
            return Err(SpanStoreError::Busy);
        }
        let mut gathered = SpanBatchEncoder::default();
        batch.spans.iter().try_for_each(|span| gathered.add(span))?;
        drop(batch.spans);
        self.submit_encoded(&mut gathered, batch.mark)
    }

    /// Queues encoded spans; the receiver resolves when they are stored.
    pub(crate) fn submit_encoded(
        &self,
        gathered: &mut SpanBatchEncoder,
        mark: Option<(&'static str, u64)>,
    ) -> Result<IngestReceipt, SpanStoreError> {
        let (waiting, receipt) = prepare_batch(gathered, mark)?;
        match self.enqueue(waiting) {
            Ok(()) => Ok(receipt),
            Err(EnqueueError::Full(_)) => Err(SpanStoreError::Busy),
            Err(EnqueueError::Closed) => Err(closed()),
        }
    }

    pub(crate) fn enqueue(&self, waiting: PendingBatch) -> Result<(), EnqueueError> {
        self.queue.push(waiting)
    }
}

/// Resolves with the outcome of a batch.
pub(crate) type IngestReceipt = oneshot::Receiver<Result<(), SpanStoreError>>;

/// Builds the batch on the thread of the caller, so that the writer only copies bytes.
pub(crate) fn prepare_batch(
    gathered: &mut SpanBatchEncoder,
    mark: Option<(&'static str, u64)>,
) -> Result<(PendingBatch, IngestReceipt), SpanStoreError> {
    let marks: &[(&str, u64)] = match &mark {
        Some(mark) => &[*mark],
        None => &[],
    };
    let entry = gathered.finish(marks)?;
    if entry.payload.len() > MAX_BATCH_BYTES {
        let message = format!("the batch has {} bytes of spans; the limit is {MAX_BATCH_BYTES}", entry.payload.len());
        return Err(SpanStoreError::Unavailable(message));
    }
    let (done, receipt) = oneshot::channel();
    Ok((PendingBatch { entry, mark, done }, receipt))
}

/// Maximum size of a batch in the log.
const MAX_BATCH_BYTES: usize = 256 << 20;

pub(crate) fn closed() -> SpanStoreError {
    SpanStoreError::Unavailable("it has been closed".to_owned())
}
