//! Spans of a store in memory, which has no log: they are read from its feed.

use crate::spans::MAX_BATCH_SPANS;
use baton_span_ports::{SpanFeed, SpanFeedEvent};
use baton_types::Span;
use futures_util::FutureExt as _;

/// Reads the feed of a store in memory. It buffers a bounded number of the newest batches and misses older ones.
pub(crate) struct SpanFeedReader {
    feed: Box<dyn SpanFeed>,
    missed_batches: u64,
}

impl SpanFeedReader {
    pub(crate) fn new(feed: Box<dyn SpanFeed>) -> Self {
        Self { feed, missed_batches: 0 }
    }

    /// Number of missed batches; each had at least one span.
    pub(crate) fn missed(&self) -> u64 {
        self.missed_batches
    }

    /// Waits for spans; `None` when the store is closed.
    pub(crate) async fn next(&mut self) -> Option<Vec<Span>> {
        let event = self.feed.next().await?;
        Some(self.collect(event))
    }

    /// The spans that can be read without waiting, approximately up to the limit of one request.
    pub(crate) fn read_buffered(&mut self) -> Vec<Span> {
        let mut spans = Vec::new();
        while spans.len() < MAX_BATCH_SPANS
            && let Some(Some(event)) = self.feed.next().now_or_never()
        {
            spans.extend(self.collect(event));
        }
        spans
    }

    fn collect(&mut self, event: SpanFeedEvent) -> Vec<Span> {
        match event {
            SpanFeedEvent::Spans(spans) => spans.to_vec(),
            SpanFeedEvent::Missed(batches) => {
                if self.missed_batches == 0 {
                    tracing::warn!(batches, "spans are not exported, because the target is slower than the server");
                }
                self.missed_batches += batches;
                Vec::new()
            }
        }
    }
}
