//! The spans of this process on their way to the store; nobody ever waits for them.

use crate::{
    codec::weight,
    options::wall_clock,
    store::{EmbeddedSpans, Refused, prepare},
};
use baton_ports::{SpanBatch, SpanSink, SpanStoreError};
use baton_types::Span;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::sync::{Notify, mpsc, oneshot};

/// Spans and bytes that may wait; more are dropped and counted.
const QUEUE_SPANS: usize = 16 * 1024;
const QUEUE_BYTES: usize = 32 << 20;
/// With this many spans a batch waits for no others.
const BATCH: usize = 4096;
/// How long the first span of a batch waits for others: each batch is a sync that the journal's own ones wait for.
const GATHER: Duration = Duration::from_millis(100);
/// How often, and how many times, a busy store is asked again before spans are dropped.
const PAUSE: Duration = Duration::from_millis(20);
const TRIES: u32 = 100;

/// Takes the spans of this process and brings them to the store in batches.
pub struct Emitter {
    queue: mpsc::Sender<Item>,
    waiting_bytes: Arc<AtomicUsize>,
    hurry: Arc<Notify>,
    spans: Arc<EmbeddedSpans>,
}

enum Item {
    /// And how many bytes it takes.
    Span(Span, usize),
    Flush(oneshot::Sender<()>),
}

impl Emitter {
    /// An emitter into that store; its work ends when it is dropped. Needs a running tokio.
    pub fn start(spans: &Arc<EmbeddedSpans>) -> Arc<Self> {
        let (queue, items) = mpsc::channel(QUEUE_SPANS);
        let waiting_bytes = Arc::new(AtomicUsize::new(0));
        let hurry = Arc::new(Notify::new());
        let work = Work {
            items,
            waiting_bytes: Arc::clone(&waiting_bytes),
            hurry: Arc::clone(&hurry),
            spans: Arc::clone(spans),
        };
        tokio::spawn(work.run());
        Arc::new(Self { queue, waiting_bytes, hurry, spans: Arc::clone(spans) })
    }

    /// Resolves when everything that was emitted before is kept, or dropped and counted.
    pub async fn flush(&self) {
        let (done, kept) = oneshot::channel();
        if self.queue.send(Item::Flush(done)).await.is_ok() {
            self.hurry.notify_one();
            let _ = kept.await;
        }
    }

    fn dropped(&self) {
        self.spans.store.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

impl SpanSink for Emitter {
    fn emit(&self, span: Span) {
        let bytes = weight(&span);
        if self.waiting_bytes.fetch_add(bytes, Ordering::Relaxed) > QUEUE_BYTES
            || self.queue.try_send(Item::Span(span, bytes)).is_err()
        {
            self.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
            self.dropped();
        }
    }

    fn now(&self) -> u64 {
        wall_clock()
    }

    fn fresh(&self) -> [u8; 16] {
        rand::random()
    }
}

struct Work {
    items: mpsc::Receiver<Item>,
    waiting_bytes: Arc<AtomicUsize>,
    /// Somebody waits for what was gathered.
    hurry: Arc<Notify>,
    spans: Arc<EmbeddedSpans>,
}

impl Work {
    async fn run(mut self) {
        let mut items = Vec::new();
        while self.items.recv_many(&mut items, BATCH).await > 0 {
            if items.len() < BATCH {
                let _ = tokio::time::timeout(GATHER, self.hurry.notified()).await;
                while items.len() < QUEUE_SPANS
                    && let Ok(item) = self.items.try_recv()
                {
                    items.push(item);
                }
            }
            let (mut spans, mut bytes) = (Vec::with_capacity(items.len()), 0);
            let mut flushes = Vec::new();
            for item in items.drain(..) {
                match item {
                    Item::Span(span, more) => {
                        spans.push(span);
                        bytes += more;
                    }
                    Item::Flush(done) => flushes.push(done),
                }
            }
            self.keep(spans, bytes).await;
            for done in flushes {
                let _ = done.send(());
            }
        }
    }

    async fn keep(&self, spans: Vec<Span>, bytes: usize) {
        if spans.is_empty() {
            return;
        }
        let count = spans.len() as u64;
        if let Err(error) = self.ingest(spans).await {
            self.spans.store.dropped.fetch_add(count, Ordering::Relaxed);
            tracing::warn!(%error, count, "spans of this process were dropped");
        }
        self.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    async fn ingest(&self, spans: Vec<Span>) -> Result<(), SpanStoreError> {
        let (mut waiting, kept) = prepare(SpanBatch { spans, mark: None })?;
        let mut tries = 0;
        loop {
            match self.spans.store.enqueue(waiting) {
                Ok(()) => break,
                Err(Refused::Full(back)) if tries < TRIES => waiting = back,
                Err(Refused::Full(_)) => return Err(SpanStoreError::Busy),
                Err(Refused::Closed) => return Err(crate::store::closed()),
            }
            tries += 1;
            tokio::time::sleep(PAUSE).await;
        }
        kept.await.unwrap_or_else(|_| Err(crate::store::closed()))
    }
}
