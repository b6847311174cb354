//! Buffers the spans of this process and submits them to the store; emitting never blocks.

use crate::{
    options::wall_clock,
    store::{EmbeddedSpans, Kept, Refused, Waiting, closed, prepare},
    wal::Gathered,
};
use baton_ports::{SpanSink, SpanStoreError};
use baton_types::Span;
use parking_lot::Mutex;
use std::{
    cell::Cell,
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};
use tokio::sync::{Notify, mpsc, oneshot};

/// Upper bounds of buffered spans and bytes in total; further spans are dropped and counted.
const MOST_SPANS: usize = 16 * 1024;
const MOST_BYTES: usize = 32 << 20;
/// At this number of buffered spans, a batch is submitted without delay.
const MANY: usize = MOST_SPANS / 2;
/// Maximum delay of the first span of a batch: each batch is a sync that competes with those of the journal.
const GATHER: Duration = Duration::from_millis(30);
/// Retries while the store is busy, before spans are dropped.
const PAUSE: Duration = Duration::from_millis(20);
const TRIES: u32 = 100;
/// Upper bound of buffers; further threads share one.
const MOST_PLACES: usize = 16;
const MOST_FLUSHES: usize = 64;

/// Receives the spans of this process and submits them to the store in batches.
///
/// A span is encoded when it ends: its memory is freed while it is in the CPU cache, and only bytes are buffered.
pub struct Emitter {
    gathering: Arc<Gathering>,
    flushes: mpsc::Sender<oneshot::Sender<()>>,
    spans: Arc<EmbeddedSpans>,
}

/// Buffered spans, with a buffer per thread to avoid contention.
struct Gathering {
    places: Vec<Mutex<Gathered>>,
    waiting_spans: AtomicUsize,
    waiting_bytes: AtomicUsize,
    /// Notified when the first span is buffered.
    arrived: Notify,
    /// Notified when the buffers are half full.
    hurry: Notify,
}

impl Emitter {
    /// Starts an emitter for the store; its task ends when it is dropped. Requires a tokio runtime.
    pub fn start(spans: &Arc<EmbeddedSpans>) -> Arc<Self> {
        let count = thread::available_parallelism().map_or(1, NonZero::get).min(MOST_PLACES);
        let gathering = Arc::new(Gathering {
            places: (0..count).map(|_| Mutex::default()).collect(),
            waiting_spans: AtomicUsize::new(0),
            waiting_bytes: AtomicUsize::new(0),
            arrived: Notify::new(),
            hurry: Notify::new(),
        });
        let (flushes, asked) = mpsc::channel(MOST_FLUSHES);
        let work = Work { gathering: Arc::clone(&gathering), asked, spans: Arc::clone(spans) };
        tokio::spawn(work.run());
        Arc::new(Self { gathering, flushes, spans: Arc::clone(spans) })
    }

    /// Resolves when every span emitted before is stored, or dropped and counted.
    pub async fn flush(&self) {
        let (done, kept) = oneshot::channel();
        if self.flushes.send(done).await.is_ok() {
            let _ = kept.await;
        }
    }
}

impl Gathering {
    /// Encodes a span into its buffer; `None` if the buffers are full.
    fn add(&self, span: &Span) -> Option<()> {
        let waiting = self.waiting_spans.fetch_add(1, Ordering::Relaxed);
        let is_full = waiting >= MOST_SPANS || self.waiting_bytes.load(Ordering::Relaxed) > MOST_BYTES;
        let bytes = if is_full { None } else { self.write(span) };
        let Some(bytes) = bytes else {
            self.let_go(1, 0);
            return None;
        };
        self.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        match waiting {
            0 => self.arrived.notify_one(),
            MANY => self.hurry.notify_one(),
            _ => {}
        }
        Some(())
    }

    fn write(&self, span: &Span) -> Option<usize> {
        let mut gathered = self.places.get(place() % self.places.len())?.lock();
        let before = gathered.bytes();
        gathered.add(span).ok()?;
        Some(gathered.bytes() - before)
    }

    fn let_go(&self, spans: usize, bytes: usize) {
        self.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
        if self.waiting_spans.fetch_sub(spans, Ordering::Relaxed) > spans {
            // Spans added during the submission did not notify: the count was not zero.
            self.arrived.notify_one();
        }
    }
}

/// Buffer index of this thread.
fn place() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static PLACE: Cell<Option<usize>> = const { Cell::new(None) };
    }
    PLACE.get().unwrap_or_else(|| {
        let place = NEXT.fetch_add(1, Ordering::Relaxed);
        PLACE.set(Some(place));
        place
    })
}

impl SpanSink for Emitter {
    fn emit(&self, span: Span) {
        if self.gathering.add(&span).is_none() {
            self.spans.store.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn now(&self) -> u64 {
        wall_clock()
    }

    fn random_bytes(&self) -> [u8; 16] {
        rand::random()
    }
}

struct Work {
    gathering: Arc<Gathering>,
    /// Flush requests.
    asked: mpsc::Receiver<oneshot::Sender<()>>,
    spans: Arc<EmbeddedSpans>,
}

impl Work {
    async fn run(mut self) {
        loop {
            let flush = tokio::select! {
                flush = self.asked.recv() => Some(flush),
                () = self.gathering.arrived.notified() => tokio::select! {
                    flush = self.asked.recv() => Some(flush),
                    () = self.gathering.hurry.notified() => None,
                    () = tokio::time::sleep(GATHER) => None,
                },
            };
            self.bring().await;
            match flush {
                Some(Some(done)) => {
                    let _ = done.send(());
                }
                Some(None) => return,
                None => {}
            }
        }
    }

    /// Submits all buffers to the store and waits until they are stored.
    async fn bring(&self) {
        let mut sent = Vec::new();
        for place in &self.gathering.places {
            let (count, bytes, batch) = {
                let mut gathered = place.lock();
                if gathered.is_empty() {
                    continue;
                }
                (gathered.len(), gathered.bytes(), prepare(&mut gathered, None))
            };
            let kept = match batch {
                Ok((waiting, kept)) => self.enqueue(waiting).await.map(|()| kept),
                Err(error) => Err(error),
            };
            sent.push(Sent { count, bytes, kept });
        }
        let (mut count, mut bytes) = (0, 0);
        for sent in sent {
            (count, bytes) = (count + sent.count, bytes + sent.bytes);
            self.settle(sent).await;
        }
        self.gathering.let_go(count, bytes);
    }

    /// Enqueues a batch; retries for a while if the store is busy.
    async fn enqueue(&self, mut waiting: Waiting) -> Result<(), SpanStoreError> {
        let mut tries = 0;
        loop {
            match self.spans.store.enqueue(waiting) {
                Ok(()) => return Ok(()),
                Err(Refused::Full(back)) if tries < TRIES => waiting = back,
                Err(Refused::Full(_)) => return Err(SpanStoreError::Busy),
                Err(Refused::Closed) => return Err(closed()),
            }
            tries += 1;
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Waits until a batch is stored; counts its spans as dropped on failure.
    async fn settle(&self, sent: Sent) {
        let Sent { count, kept, .. } = sent;
        let kept = match kept {
            Ok(kept) => kept.await.unwrap_or_else(|_| Err(closed())),
            Err(error) => Err(error),
        };
        if let Err(error) = kept {
            self.spans.store.dropped.fetch_add(count as u64, Ordering::Relaxed);
            tracing::warn!(%error, count, "spans of this process were dropped");
        }
    }
}

/// A batch that the store accepted or rejected.
struct Sent {
    count: usize,
    bytes: usize,
    kept: Result<Kept, SpanStoreError>,
}
