//! Buffers the spans of this process and submits them to the store; emitting never blocks.

use crate::{
    feed::batch_delay,
    options::wall_clock,
    store::{EmbeddedSpanStore, EnqueueError, IngestReceipt, PendingBatch, SubmissionRequests, closed, prepare_batch},
    wal::{SpanBatchEncoder, TARGET_BATCH_BYTES},
};
use baton_span_ports::SpanStoreError;
use baton_telemetry::SpanSink;
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
const MAX_BUFFERED_SPANS: usize = 16 * 1024;
const MAX_BUFFERED_BYTES: usize = 32 << 20;
/// At this number of buffered spans, a batch is submitted without delay.
const TARGET_BATCH_SPANS: usize = MAX_BUFFERED_SPANS / 2;
/// Retries while the store is busy, before spans are dropped.
const RETRY_DELAY: Duration = Duration::from_millis(20);
const MAX_RETRIES: u32 = 100;
/// Upper bound of buffers; further threads share one.
const MAX_SLOTS: usize = 16;
const MAX_PENDING_FLUSHES: usize = 64;

/// Receives the spans of this process and submits them to the store in batches.
///
/// A span is encoded when it ends: its memory is freed while it is in the CPU cache, and only bytes are buffered.
pub struct SpanEmitter {
    buffers: Arc<EmitterBuffers>,
    flushes: mpsc::Sender<oneshot::Sender<()>>,
    spans: Arc<EmbeddedSpanStore>,
}

/// Buffered spans, with a buffer per thread to avoid contention.
struct EmitterBuffers {
    slots: Vec<Mutex<SpanBatchEncoder>>,
    buffered_spans: AtomicUsize,
    buffered_bytes: AtomicUsize,
    /// Notified when the first span is buffered.
    arrived: Notify,
    /// Notified when the buffers have the target size of a batch.
    large: Notify,
}

impl SpanEmitter {
    /// Starts an emitter for the store; its task ends when it is dropped. Requires a tokio runtime.
    pub fn start(spans: &Arc<EmbeddedSpanStore>) -> Arc<Self> {
        let count = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_SLOTS);
        let gathering = Arc::new(EmitterBuffers {
            slots: (0..count).map(|_| Mutex::default()).collect(),
            buffered_spans: AtomicUsize::new(0),
            buffered_bytes: AtomicUsize::new(0),
            arrived: Notify::new(),
            large: Notify::new(),
        });
        let (flushes, flush_requests) = mpsc::channel(MAX_PENDING_FLUSHES);
        let requests = spans.store.producers.add();
        let work = EmitterTask { buffers: Arc::clone(&gathering), flush_requests, requests, spans: Arc::clone(spans) };
        tokio::spawn(work.run());
        Arc::new(Self { buffers: gathering, flushes, spans: Arc::clone(spans) })
    }

    /// Resolves when every span emitted before is stored, or dropped and counted.
    pub async fn flush(&self) {
        let (done, receipt) = oneshot::channel();
        if self.flushes.send(done).await.is_ok() {
            let _ = receipt.await;
        }
    }
}

impl EmitterBuffers {
    /// Encodes a span into its buffer; `None` if the buffers are full.
    fn add(&self, span: &Span) -> Option<()> {
        let waiting = self.buffered_spans.fetch_add(1, Ordering::Relaxed);
        let is_full = waiting >= MAX_BUFFERED_SPANS || self.buffered_bytes.load(Ordering::Relaxed) > MAX_BUFFERED_BYTES;
        let bytes = if is_full { None } else { self.write(span) };
        let Some(bytes) = bytes else {
            self.release(1, 0);
            return None;
        };
        let buffered = self.buffered_bytes.fetch_add(bytes, Ordering::Relaxed);
        if waiting == 0 {
            self.arrived.notify_one();
        }
        let has_crossed = buffered < TARGET_BATCH_BYTES && buffered + bytes >= TARGET_BATCH_BYTES;
        if has_crossed || waiting == TARGET_BATCH_SPANS {
            self.large.notify_one();
        }
        Some(())
    }

    fn write(&self, span: &Span) -> Option<usize> {
        let mut gathered = self.slots.get(thread_slot() % self.slots.len())?.lock();
        let before = gathered.bytes();
        gathered.add(span).ok()?;
        Some(gathered.bytes() - before)
    }

    fn release(&self, spans: usize, bytes: usize) {
        let buffered = self.buffered_bytes.fetch_sub(bytes, Ordering::Relaxed);
        if buffered - bytes >= TARGET_BATCH_BYTES {
            self.large.notify_one();
        }
        if self.buffered_spans.fetch_sub(spans, Ordering::Relaxed) > spans {
            // Spans added during the submission did not notify: the count was not zero.
            self.arrived.notify_one();
        }
    }
}

/// Buffer index of this thread.
fn thread_slot() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static SLOT: Cell<Option<usize>> = const { Cell::new(None) };
    }
    SLOT.get().unwrap_or_else(|| {
        let slot = NEXT.fetch_add(1, Ordering::Relaxed);
        SLOT.set(Some(slot));
        slot
    })
}

impl SpanSink for SpanEmitter {
    fn emit(&self, span: Span) {
        if self.buffers.add(&span).is_none() {
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

struct EmitterTask {
    buffers: Arc<EmitterBuffers>,
    /// Flush requests.
    flush_requests: mpsc::Receiver<oneshot::Sender<()>>,
    /// Requests of queries.
    requests: SubmissionRequests,
    spans: Arc<EmbeddedSpanStore>,
}

/// Reason for a submission.
enum EmitterInput {
    /// The batch is due, or large enough.
    Due,
    Query(u64),
    /// `None` if the emitter has been dropped.
    Flush(Option<oneshot::Sender<()>>),
}

impl EmitterTask {
    async fn run(mut self) {
        loop {
            let input = self.next_input().await;
            self.submit_buffers().await;
            match input {
                EmitterInput::Due => {}
                EmitterInput::Query(number) => self.requests.answer(number),
                EmitterInput::Flush(Some(done)) => {
                    let _ = done.send(());
                }
                EmitterInput::Flush(None) => return,
            }
        }
    }

    async fn next_input(&mut self) -> EmitterInput {
        let due = async {
            self.buffers.arrived.notified().await;
            tokio::select! {
                () = self.buffers.large.notified() => {}
                () = tokio::time::sleep(batch_delay(&self.spans.store.feed)) => {}
            }
        };
        tokio::select! {
            flush = self.flush_requests.recv() => EmitterInput::Flush(flush),
            number = self.requests.next() => EmitterInput::Query(number),
            () = due => EmitterInput::Due,
        }
    }

    /// Submits all buffers to the store and waits until they are stored.
    async fn submit_buffers(&self) {
        let mut sent = Vec::new();
        for slot in &self.buffers.slots {
            let (count, bytes, batch) = {
                let mut gathered = slot.lock();
                if gathered.is_empty() {
                    continue;
                }
                (gathered.len(), gathered.bytes(), prepare_batch(&mut gathered, None))
            };
            let receipt = match batch {
                Ok((waiting, receipt)) => self.enqueue(waiting).await.map(|()| receipt),
                Err(error) => Err(error),
            };
            sent.push(SubmittedBatch { count, bytes, receipt });
        }
        let (mut count, mut bytes) = (0, 0);
        for sent in sent {
            (count, bytes) = (count + sent.count, bytes + sent.bytes);
            self.await_receipt(sent).await;
        }
        self.buffers.release(count, bytes);
    }

    /// Enqueues a batch; retries for a while if the store is busy.
    async fn enqueue(&self, mut waiting: PendingBatch) -> Result<(), SpanStoreError> {
        let mut tries = 0;
        loop {
            match self.spans.store.enqueue(waiting) {
                Ok(()) => return Ok(()),
                Err(EnqueueError::Full(back)) if tries < MAX_RETRIES => waiting = *back,
                Err(EnqueueError::Full(_)) => return Err(SpanStoreError::Busy),
                Err(EnqueueError::Closed) => return Err(closed()),
            }
            tries += 1;
            tokio::time::sleep(RETRY_DELAY).await;
        }
    }

    /// Waits until a batch is stored; counts its spans as dropped on failure.
    async fn await_receipt(&self, sent: SubmittedBatch) {
        let SubmittedBatch { count, receipt, .. } = sent;
        let result = match receipt {
            Ok(receipt) => receipt.await.unwrap_or_else(|_| Err(closed())),
            Err(error) => Err(error),
        };
        if let Err(error) = result {
            self.spans.store.dropped.fetch_add(count as u64, Ordering::Relaxed);
            tracing::warn!(%error, count, "spans of this process were dropped");
        }
    }
}

/// A batch that the store accepted or rejected.
struct SubmittedBatch {
    count: usize,
    bytes: usize,
    receipt: Result<IngestReceipt, SpanStoreError>,
}
