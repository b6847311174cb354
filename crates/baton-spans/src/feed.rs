//! Live feed of stored spans. A subscriber that is too slow misses batches and receives their number.

use crate::{codec::weight, wal::EncodedBatch};
use baton_ports::BoxFuture;
use baton_span_ports::{SpanFeed, SpanFeedEvent};
use baton_types::Span;
use parking_lot::Mutex;
use std::{collections::VecDeque, sync::Arc, time::Duration};
use tokio::sync::watch;

/// Buffer limits for the slowest subscriber.
const MAX_BUFFERED_BATCHES: usize = 1024;
const MAX_BUFFERED_BYTES: usize = 16 << 20;

/// Maximum delay of a span of this process until it is submitted: each batch is a sync that competes with those of the
/// journal. Queries do not wait for it, subscribers do.
const BATCH_DELAY: Duration = Duration::from_millis(200);
const SUBSCRIBED_BATCH_DELAY: Duration = Duration::from_millis(30);

/// Delay of the first span of a batch.
pub(crate) fn batch_delay(feed: &Feed) -> Duration {
    if feed.has_subscribers() { SUBSCRIBED_BATCH_DELAY } else { BATCH_DELAY }
}

/// Ring buffer of the last batches, filled only while there are subscribers.
#[derive(Clone, Default)]
pub(crate) struct Feed {
    shared: Arc<SpanFeedState>,
}

struct SpanFeedState {
    ring: Mutex<Ring>,
    /// Number of the next batch; `None` once the feed is closed.
    next: watch::Sender<Option<u64>>,
}

impl Default for SpanFeedState {
    fn default() -> Self {
        Self { ring: Mutex::default(), next: watch::Sender::new(Some(0)) }
    }
}

#[derive(Default)]
struct Ring {
    /// Buffered batches with their weights.
    batches: VecDeque<(Arc<Vec<Span>>, usize)>,
    bytes: usize,
    /// Number of the next batch.
    next: u64,
}

impl Ring {
    fn first(&self) -> u64 {
        self.next - self.batches.len() as u64
    }

    fn shorten(&mut self, batches: usize, bytes: usize) {
        while (self.batches.len() > batches || self.bytes > bytes)
            && let Some((_, weight)) = self.batches.pop_front()
        {
            self.bytes -= weight;
        }
    }
}

impl Feed {
    /// Whether there are subscribers.
    pub(crate) fn has_subscribers(&self) -> bool {
        self.shared.next.receiver_count() > 0
    }

    /// Publishes a batch to all subscribers.
    pub(crate) fn publish(&self, written: &EncodedBatch) {
        if written.bodies.is_empty() {
            return;
        }
        let mut ring = self.shared.ring.lock();
        ring.next += 1;
        // The payload was just encoded, so it can be decoded; spans are decoded only if there are subscribers.
        let decoded = if self.has_subscribers() { written.spans().ok() } else { None };
        match decoded {
            Some(spans) => {
                let weight = spans.iter().map(weight).sum();
                ring.bytes += weight;
                ring.batches.push_back((Arc::new(spans), weight));
                ring.shorten(MAX_BUFFERED_BATCHES, MAX_BUFFERED_BYTES);
            }
            None => ring.shorten(0, 0),
        }
        let next = ring.next;
        drop(ring);
        self.shared.next.send_modify(|last| {
            if let Some(last) = last {
                *last = next;
            }
        });
    }

    /// Closes the feed.
    pub(crate) fn close(&self) {
        self.shared.next.send_replace(None);
    }

    /// Subscribes to all batches from now on.
    pub(crate) fn subscribe(&self) -> SpanFeedSubscription {
        // Under the lock, so that no batch is published between the two reads.
        let ring = self.shared.ring.lock();
        SpanFeedSubscription {
            next: ring.next,
            published: self.shared.next.subscribe(),
            shared: Arc::clone(&self.shared),
        }
    }
}

/// Subscription to the feed.
pub(crate) struct SpanFeedSubscription {
    shared: Arc<SpanFeedState>,
    published: watch::Receiver<Option<u64>>,
    next: u64,
}

impl SpanFeedSubscription {
    fn poll_buffered(&mut self) -> Option<SpanFeedEvent> {
        let ring = self.shared.ring.lock();
        let first = ring.first();
        if self.next < first {
            let missed = first - self.next;
            self.next = first;
            return Some(SpanFeedEvent::Missed(missed));
        }
        let index = usize::try_from(self.next - first).ok()?;
        let (spans, _) = ring.batches.get(index)?;
        self.next += 1;
        Some(SpanFeedEvent::Spans(Arc::clone(spans)))
    }
}

impl SpanFeed for SpanFeedSubscription {
    fn next(&mut self) -> BoxFuture<'_, Option<SpanFeedEvent>> {
        Box::pin(async move {
            loop {
                if let Some(event) = self.poll_buffered() {
                    return Some(event);
                }
                let next = self.next;
                let more = self.published.wait_for(|last| last.is_none_or(|last| last > next)).await;
                let ended = !more.is_ok_and(|last| last.is_some());
                if ended {
                    // Batches published before the end are still delivered.
                    return self.poll_buffered();
                }
            }
        })
    }
}
