//! The span store in this process.

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

/// The span store in this process, on disk or in memory only.
pub struct EmbeddedSpans {
    pub(crate) store: Arc<Store>,
    pub(super) threads: Mutex<Vec<JoinHandle<()>>>,
    /// Where the files are that were set aside when it was opened.
    pub(super) set_aside: Vec<PathBuf>,
}

impl EmbeddedSpans {
    /// Where the files are now that could not be read when it was opened.
    pub fn set_aside(&self) -> &[PathBuf] {
        &self.set_aside
    }
}

/// Where the files are.
pub(super) struct Places {
    pub(super) log: PathBuf,
    pub(super) blocks: PathBuf,
    /// Files that cannot be read, out of the way.
    pub(super) damaged: PathBuf,
    /// What is kept of the log for others.
    pub(super) held: Held,
}

/// What the threads and the readers share.
pub(crate) struct Store {
    pub(super) options: Options,
    /// None when everything is in memory.
    pub(super) places: Option<Places>,
    pub(super) view: RwLock<Arc<View>>,
    pub(super) queue: Queue,
    /// As far as they are on disk.
    pub(super) marks: Mutex<Marks>,
    pub(super) feed: Feed,
    /// How far the log is on disk.
    pub(super) synced: watch::Sender<Synced>,
    pub(super) flush: FlushState,
    pub(super) keeper: Keeper,
    /// Held while blocks are merged or dropped: what is being merged is not dropped meanwhile.
    pub(super) doomed: Mutex<Doomed>,
    pub(super) closing: AtomicBool,
    pub(super) log_bytes: AtomicU64,
    pub(super) searches: Arc<Semaphore>,
    pub(super) waiting_searches: AtomicUsize,
    /// Who may read spans through at the same time.
    pub(super) readings: Arc<Semaphore>,
    /// Spans that were emitted in this process and could not be kept.
    pub(crate) dropped: AtomicU64,
}

/// Wakes the thread that merges and drops blocks.
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

    /// Replaces what readers see; nothing slow may happen meanwhile.
    pub(super) fn change_view(&self, change: impl FnOnce(&mut View)) {
        let mut current = self.view.write();
        let mut next = View::clone(&current);
        change(&mut next);
        *current = Arc::new(next);
    }

    pub(super) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Writes a batch down and queues it; the receiver hears when it is kept.
    pub(crate) fn submit(&self, batch: SpanBatch) -> Result<Kept, SpanStoreError> {
        if self.queue.is_full(batch.spans.len()) {
            return Err(SpanStoreError::Busy);
        }
        let mut gathered = Gathered::default();
        batch.spans.iter().try_for_each(|span| gathered.add(span))?;
        drop(batch.spans);
        self.submit_gathered(&mut gathered, batch.mark)
    }

    /// Queues spans that are written down already; the receiver hears when they are kept.
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

/// Hears what became of a batch.
pub(crate) type Kept = oneshot::Receiver<Result<(), SpanStoreError>>;

/// Makes a batch of what was gathered, on the thread of whoever brings it: the writer has only to copy.
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
        let message = format!("{} bytes of spans came at once; at most {MOST_ENTRY} are taken", entry.payload.len());
        return Err(SpanStoreError::Unavailable(message));
    }
    let (done, kept) = oneshot::channel();
    Ok((Waiting { entry, mark, done }, kept))
}

/// What a single batch may take in the log.
const MOST_ENTRY: usize = 256 << 20;

pub(crate) fn closed() -> SpanStoreError {
    SpanStoreError::Unavailable("it has been closed".to_owned())
}
