//! The spans of this process on their way to the store; nobody ever waits for them.

use crate::{
    codec::weight,
    options::wall_clock,
    store::{EmbeddedSpans, Kept, Refused, prepare},
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
/// Spans that go to the store together: few enough that their memory is used again and again.
const BATCH: usize = 256;
/// With so many waiting, none waits for others.
const MANY: usize = QUEUE_SPANS / 2;
/// How long the first span of a batch waits for others: each batch is a sync that the journal's own ones wait for.
const GATHER: Duration = Duration::from_millis(30);
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
        if self.queue.capacity() == QUEUE_SPANS - MANY {
            self.hurry.notify_one();
        }
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
        while let Some(first) = self.items.recv().await {
            let _ = tokio::time::timeout(GATHER, self.hurry.notified()).await;
            let (mut batch, mut sent, mut flushes) = (Batch::default(), Vec::new(), Vec::new());
            let (mut next, mut taken) = (Some(first), 0);
            while let Some(item) = next {
                match item {
                    Item::Span(span, bytes) => batch.add(span, bytes),
                    Item::Flush(done) => flushes.push(done),
                }
                if batch.spans.len() == BATCH {
                    sent.push(self.send(std::mem::take(&mut batch)).await);
                }
                taken += 1;
                next = if taken < QUEUE_SPANS { self.items.try_recv().ok() } else { None };
            }
            if !batch.spans.is_empty() {
                sent.push(self.send(batch).await);
            }
            for sent in sent {
                self.settle(sent).await;
            }
            for done in flushes {
                let _ = done.send(());
            }
        }
    }

    /// Hands a batch to the store; a busy one is asked again for a while.
    async fn send(&self, batch: Batch) -> Sent {
        let Batch { spans, bytes } = batch;
        let count = spans.len() as u64;
        let kept = self.enqueue(spans).await;
        Sent { count, bytes, kept }
    }

    async fn enqueue(&self, spans: Vec<Span>) -> Result<Kept, SpanStoreError> {
        let (mut waiting, kept) = prepare(SpanBatch { spans, mark: None })?;
        let mut tries = 0;
        loop {
            match self.spans.store.enqueue(waiting) {
                Ok(()) => return Ok(kept),
                Err(Refused::Full(back)) if tries < TRIES => waiting = back,
                Err(Refused::Full(_)) => return Err(SpanStoreError::Busy),
                Err(Refused::Closed) => return Err(crate::store::closed()),
            }
            tries += 1;
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Waits until a batch is kept, or counts what was dropped.
    async fn settle(&self, sent: Sent) {
        let Sent { count, bytes, kept } = sent;
        let kept = match kept {
            Ok(kept) => kept.await.unwrap_or_else(|_| Err(crate::store::closed())),
            Err(error) => Err(error),
        };
        if let Err(error) = kept {
            self.spans.store.dropped.fetch_add(count, Ordering::Relaxed);
            tracing::warn!(%error, count, "spans of this process were dropped");
        }
        self.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Spans that go to the store together.
#[derive(Default)]
struct Batch {
    spans: Vec<Span>,
    bytes: usize,
}

impl Batch {
    fn add(&mut self, span: Span, bytes: usize) {
        if self.spans.is_empty() {
            self.spans.reserve(BATCH);
        }
        self.spans.push(span);
        self.bytes += bytes;
    }
}

/// A batch that the store has, or that it refused.
struct Sent {
    count: u64,
    bytes: usize,
    kept: Result<Kept, SpanStoreError>,
}
