//! The embedded span store.

use super::{
    flush::FlushState,
    hold::Held,
    outgoing::Synced,
    queue::{Queue, Refused, Waiting},
    read,
    retain::Doomed,
    view::View,
};
use crate::{
    feed::Feed,
    options::Options,
    wal::{Gathered, Marks},
};
use baton_ports::{SpanBatch, SpanStoreError};
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
pub struct EmbeddedSpans {
    pub(crate) store: Arc<Store>,
    pub(super) threads: Mutex<Vec<JoinHandle<()>>>,
    /// Paths of the files quarantined at open.
    pub(super) set_aside: Vec<PathBuf>,
}

impl EmbeddedSpans {
    /// Paths of the files that could not be read at open, after their quarantine.
    pub fn set_aside(&self) -> &[PathBuf] {
        &self.set_aside
    }
}

/// Paths of the store and its retained log.
pub(super) struct Places {
    pub(super) log: PathBuf,
    pub(super) blocks: PathBuf,
    /// Quarantine for damaged files.
    pub(super) damaged: PathBuf,
    /// Log files retained for readers.
    pub(super) held: Held,
}

/// State shared by the threads and the readers.
pub(crate) struct Store {
    pub(super) options: Options,
    /// `None` if everything is in memory.
    pub(super) places: Option<Places>,
    pub(super) view: RwLock<Arc<View>>,
    pub(super) queue: Queue,
    /// Durable watermarks.
    pub(super) marks: Mutex<Marks>,
    pub(super) feed: Feed,
    /// Durable end of the log.
    pub(super) synced: watch::Sender<Synced>,
    pub(super) flush: FlushState,
    pub(super) keeper: Keeper,
    /// Locked while blocks are merged or deleted, so that inputs of a merge are not deleted meanwhile.
    pub(super) doomed: Mutex<Doomed>,
    pub(super) closing: AtomicBool,
    pub(super) log_bytes: AtomicU64,
    pub(super) searches: Arc<Semaphore>,
    pub(super) waiting_searches: AtomicUsize,
    /// Limits concurrent streaming reads.
    pub(super) readings: Arc<Semaphore>,
    /// Number of spans emitted in this process that could not be stored.
    pub(crate) dropped: AtomicU64,
}

/// Wakes the keeper thread.
#[derive(Default)]
pub(super) struct Keeper {
    pub(super) woken: Mutex<bool>,
    pub(super) wake: Condvar,
}

impl Keeper {
    pub(super) fn wake(&self) {
        *self.woken.lock() = true;
        self.wake.notify_all();
    }
}

impl Store {
    pub(super) fn new(options: Options, places: Option<Places>, view: View, marks: Marks) -> Self {
        Self {
            queue: Queue::new(options.queue_spans, options.queue_bytes),
            searches: Arc::new(Semaphore::new(options.searches.max(1))),
            options,
            places,
            view: RwLock::new(Arc::new(view)),
            marks: Mutex::new(marks),
            feed: Feed::default(),
            synced: watch::Sender::default(),
            flush: FlushState::default(),
            keeper: Keeper::default(),
            doomed: Mutex::default(),
            closing: AtomicBool::new(false),
            log_bytes: AtomicU64::new(0),
            waiting_searches: AtomicUsize::new(0),
            readings: Arc::new(Semaphore::new(read::MOST)),
            dropped: AtomicU64::new(0),
        }
    }

    pub(super) fn view(&self) -> Arc<View> {
        Arc::clone(&self.view.read())
    }

    /// Replaces the view; the closure must be fast, because readers wait for it.
    pub(super) fn change_view(&self, change: impl FnOnce(&mut View)) {
        let mut current = self.view.write();
        let mut next = View::clone(&current);
        change(&mut next);
        *current = Arc::new(next);
    }

    pub(super) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Encodes and queues a batch; the receiver resolves when it is stored.
    pub(crate) fn submit(&self, batch: SpanBatch) -> Result<Kept, SpanStoreError> {
        if self.queue.is_full(batch.spans.len()) {
            return Err(SpanStoreError::Busy);
        }
        let mut gathered = Gathered::default();
        batch.spans.iter().try_for_each(|span| gathered.add(span))?;
        drop(batch.spans);
        self.submit_gathered(&mut gathered, batch.mark)
    }

    /// Queues encoded spans; the receiver resolves when they are stored.
    pub(crate) fn submit_gathered(
        &self,
        gathered: &mut Gathered,
        mark: Option<(&'static str, u64)>,
    ) -> Result<Kept, SpanStoreError> {
        let (waiting, kept) = prepare(gathered, mark)?;
        match self.enqueue(waiting) {
            Ok(()) => Ok(kept),
            Err(Refused::Full(_)) => Err(SpanStoreError::Busy),
            Err(Refused::Closed) => Err(closed()),
        }
    }

    pub(crate) fn enqueue(&self, waiting: Waiting) -> Result<(), Refused> {
        self.queue.push(waiting)
    }
}

/// Resolves with the outcome of a batch.
pub(crate) type Kept = oneshot::Receiver<Result<(), SpanStoreError>>;

/// Builds the batch on the thread of the caller, so that the writer only copies bytes.
pub(crate) fn prepare(
    gathered: &mut Gathered,
    mark: Option<(&'static str, u64)>,
) -> Result<(Waiting, Kept), SpanStoreError> {
    let marks: &[(&str, u64)] = match &mark {
        Some(mark) => &[*mark],
        None => &[],
    };
    let entry = gathered.finish(marks)?;
    if entry.payload.len() > MOST_ENTRY {
        let message = format!("the batch has {} bytes of spans; the limit is {MOST_ENTRY}", entry.payload.len());
        return Err(SpanStoreError::Unavailable(message));
    }
    let (done, kept) = oneshot::channel();
    Ok((Waiting { entry, mark, done }, kept))
}

/// Maximum size of a batch in the log.
const MOST_ENTRY: usize = 256 << 20;

pub(crate) fn closed() -> SpanStoreError {
    SpanStoreError::Unavailable("it has been closed".to_owned())
}
