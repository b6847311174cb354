//! Implementation of the store port.

use super::embedded::{EmbeddedSpanStore, StoreState, closed};
use crate::{
    search::{self, QueryBudget, StopFlag},
    segment::Segment,
};
use baton_ports::BoxFuture;
use baton_span_ports::{
    MetricsResult, SpanBatch, SpanFeed, SpanMetricsRequest, SpanReadRequest, SpanReader, SpanStats, SpanStore,
    SpanStoreError, TagNames, TagsRequest, TraceSearchRequest, TraceSearchResult,
};
use baton_traceql::Field;
use baton_types::{Span, SpanValue, TraceId};
use std::{
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::{sync::TryAcquireError, time::timeout};

/// Maximum number of queued searches; further ones are rejected.
const MAX_WAITING_SEARCHES: usize = 256;

/// Maximum time of a search in the queue; then it is rejected as busy.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(30);

impl SpanStore for EmbeddedSpanStore {
    fn ingest(&self, batch: SpanBatch) -> BoxFuture<'static, Result<(), SpanStoreError>> {
        if batch.spans.is_empty() && batch.mark.is_none() {
            return Box::pin(ready(Ok(())));
        }
        match self.store.submit(batch) {
            Ok(receipt) => Box::pin(async move { receipt.await.unwrap_or_else(|_| Err(closed())) }),
            Err(error) => Box::pin(ready(Err(error))),
        }
    }

    fn search(&self, ask: TraceSearchRequest) -> BoxFuture<'_, Result<TraceSearchResult, SpanStoreError>> {
        Box::pin(self.store.read(move |segments, budget| search::search(segments, &ask, budget)))
    }

    fn metrics(&self, ask: SpanMetricsRequest) -> BoxFuture<'_, Result<MetricsResult, SpanStoreError>> {
        Box::pin(self.store.read(move |segments, budget| search::metrics(segments, &ask, budget)))
    }

    fn trace(&self, id: TraceId) -> BoxFuture<'_, Result<Vec<Span>, SpanStoreError>> {
        Box::pin(self.store.read(move |segments, budget| search::trace(segments, id, budget)))
    }

    fn tags(&self, ask: TagsRequest) -> BoxFuture<'_, Result<TagNames, SpanStoreError>> {
        Box::pin(self.store.read(move |segments, budget| search::tags(segments, &ask, budget)))
    }

    fn tag_values(&self, field: Field, ask: TagsRequest) -> BoxFuture<'_, Result<Vec<SpanValue>, SpanStoreError>> {
        Box::pin(self.store.read(move |segments, budget| search::tag_values(segments, &field, &ask, budget)))
    }

    fn subscribe(&self) -> Box<dyn SpanFeed> {
        Box::new(self.store.feed.subscribe())
    }

    fn mark(&self, name: &str) -> Option<u64> {
        self.store.marks.lock().get(name).copied()
    }

    fn stats(&self) -> BoxFuture<'_, Result<SpanStats, SpanStoreError>> {
        Box::pin(ready(Ok(self.store.stats())))
    }

    fn read(&self, ask: SpanReadRequest) -> BoxFuture<'_, Result<Box<dyn SpanReader>, SpanStoreError>> {
        Box::pin(async move {
            self.store.producers.submit_all().await;
            self.start_read(ask)
        })
    }
}

impl StoreState {
    /// Executes a query on the current view on a blocking thread, with limited concurrency. The thread stops soon after
    /// the caller drops the future.
    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&[Arc<dyn Segment>], &QueryBudget) -> Result<T, SpanStoreError> + Send + 'static,
    ) -> Result<T, SpanStoreError> {
        self.producers.submit_all().await;
        let turn = {
            let _place = SearchQueueSlot::take(&self.waiting_searches)?;
            match Arc::clone(&self.searches).try_acquire_owned() {
                Ok(turn) => turn,
                Err(TryAcquireError::Closed) => return Err(closed()),
                Err(TryAcquireError::NoPermits) => {
                    let turn = timeout(QUEUE_TIMEOUT, Arc::clone(&self.searches).acquire_owned()).await;
                    turn.map_err(|_| SpanStoreError::Busy)?.map_err(|_| closed())?
                }
            }
        };
        let stop = StopFlag::default();
        let _stops = stop.set_on_drop();
        let segments = self.view().segments();
        let limit = self.options.search_budget;
        let running = tokio::task::spawn_blocking(move || {
            let answer = work(&segments, &QueryBudget { stop, ..QueryBudget::with_deadline(Instant::now() + limit) });
            drop(turn);
            answer
        });
        running.await.unwrap_or_else(|error| Err(SpanStoreError::Unavailable(format!("a search ended early: {error}"))))
    }

    fn stats(&self) -> SpanStats {
        let view = self.view();
        let mut stats = SpanStats {
            blocks: view.blocks.len() as u64,
            head_spans: view.heads().map(|generation| generation.spans() as u64).sum(),
            bytes: self.log_bytes.load(Ordering::Relaxed),
            max_age: self.options.retention.max_age,
            max_bytes: self.options.retention.max_bytes,
            dropped: self.dropped.load(Ordering::Relaxed),
            ..SpanStats::default()
        };
        let mut oldest = None;
        for segment in view.segments() {
            let summary = segment.summary();
            stats.spans += summary.spans;
            stats.newest = stats.newest.max(summary.end);
            oldest = Some(oldest.map_or(summary.start, |oldest: u64| oldest.min(summary.start)));
        }
        stats.bytes += view.blocks.iter().map(|stored| stored.block.summary().bytes).sum::<u64>();
        stats.oldest = oldest.unwrap_or(0);
        stats.complete_since = self.complete_since(&view).unwrap_or(0);
        stats
    }
}

/// A slot in the search queue; released when dropped.
struct SearchQueueSlot<'a>(&'a AtomicUsize);

impl<'a> SearchQueueSlot<'a> {
    fn take(waiting: &'a AtomicUsize) -> Result<Self, SpanStoreError> {
        let slot = Self(waiting);
        if waiting.fetch_add(1, Ordering::AcqRel) >= MAX_WAITING_SEARCHES {
            Err(SpanStoreError::Busy)
        } else {
            Ok(slot)
        }
    }
}

impl Drop for SearchQueueSlot<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SpanStoreOptions;
    use tokio::sync::oneshot;

    /// When its future is dropped, the query thread stops long before its deadline and releases its permit.
    #[tokio::test]
    async fn dropped_query_future_stops_the_query() {
        let hour = Duration::from_hours(1);
        let spans = EmbeddedSpanStore::in_memory(SpanStoreOptions {
            searches: 1,
            search_budget: hour,
            ..SpanStoreOptions::default()
        })
        .unwrap();
        let (begin, begun) = oneshot::channel();
        let endless = spans.store.read(move |_, budget| {
            let _ = begin.send(());
            while !budget.is_expired() {
                std::thread::yield_now();
            }
            Ok(())
        });
        tokio::select! {
            _ = endless => panic!("the query ended by itself"),
            begun = begun => begun.unwrap(),
        }
        let next = spans.store.read(|_, budget| Ok(budget.is_expired()));
        assert_eq!(timeout(Duration::from_secs(20), next).await.expect("a free permit"), Ok(false));
        spans.close().await;
    }
}
