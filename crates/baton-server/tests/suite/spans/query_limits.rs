//! Limits of concurrent span queries, and cancellation of abandoned ones.

use super::{get, surface, with_query};
use crate::bindings::{headers, raw};
use axum::{Router, body::Body};
use baton_ports::BoxFuture;
use baton_span_ports::{
    MetricsResult, SpanBatch, SpanFeed, SpanMetricsRequest, SpanStats, SpanStore, SpanStoreError, TagNames,
    TagsRequest, TraceSearchRequest, TraceSearchResult,
};
use baton_traceql::{Field, QueryError};
use baton_types::{Span, SpanValue, TraceId};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::{sync::Semaphore, task::JoinSet};

/// A store whose answers wait for permits.
struct GatedSpanStore {
    gate: Semaphore,
    running: AtomicUsize,
    max_running: AtomicUsize,
}

/// Counts a running query until it is dropped.
struct RunningGuard<'a>(&'a AtomicUsize);

impl Drop for RunningGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl GatedSpanStore {
    fn new() -> Arc<Self> {
        Arc::new(Self { gate: Semaphore::new(0), running: AtomicUsize::new(0), max_running: AtomicUsize::new(0) })
    }

    fn wait<T: Default + Send>(&self) -> BoxFuture<'_, Result<T, SpanStoreError>> {
        Box::pin(async {
            let now = self.running.fetch_add(1, Ordering::AcqRel) + 1;
            self.max_running.fetch_max(now, Ordering::AcqRel);
            let _running = RunningGuard(&self.running);
            self.gate.acquire().await.unwrap().forget();
            Ok(T::default())
        })
    }

    async fn until_running(&self, count: usize) {
        while self.running.load(Ordering::Acquire) != count {
            tokio::task::yield_now().await;
        }
    }
}

impl SpanStore for GatedSpanStore {
    fn ingest(&self, _: SpanBatch) -> BoxFuture<'static, Result<(), SpanStoreError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn search(&self, _: TraceSearchRequest) -> BoxFuture<'_, Result<TraceSearchResult, SpanStoreError>> {
        self.wait()
    }

    fn metrics(&self, _: SpanMetricsRequest) -> BoxFuture<'_, Result<MetricsResult, SpanStoreError>> {
        self.wait()
    }

    fn trace(&self, _: TraceId) -> BoxFuture<'_, Result<Vec<Span>, SpanStoreError>> {
        self.wait()
    }

    fn tags(&self, _: TagsRequest) -> BoxFuture<'_, Result<TagNames, SpanStoreError>> {
        self.wait()
    }

    fn tag_values(&self, _: Field, _: TagsRequest) -> BoxFuture<'_, Result<Vec<SpanValue>, SpanStoreError>> {
        self.wait()
    }

    fn subscribe(&self) -> Box<dyn SpanFeed> {
        unreachable!("these tests do not tail spans")
    }

    fn mark(&self, _: &str) -> Option<u64> {
        None
    }

    fn stats(&self) -> BoxFuture<'_, Result<SpanStats, SpanStoreError>> {
        self.wait()
    }
}

/// Path of a query; the number selects its kind.
fn path(number: usize) -> String {
    let query = &[("q", "{ } | rate()"), ("start", "1794767000"), ("end", "1794768000")];
    match number % 6 {
        0 => with_query("/tempo/api/metrics/query_range", query),
        1 => with_query("/tempo/api/metrics/query", query),
        2 => with_query("/tempo/api/search", &[("q", "{ }")]),
        3 => "/tempo/api/v2/search/tags".to_owned(),
        4 => "/tempo/api/v2/search/tag/name/values".to_owned(),
        _ => format!("/tempo/api/v2/traces/{}", "0a".repeat(16)),
    }
}

async fn ask(app: Router, number: usize) -> u16 {
    get(&app, &path(number), &[]).await.status
}

#[tokio::test]
async fn queries_of_one_caller_are_queued_and_excess_ones_rejected() {
    let store = GatedSpanStore::new();
    let app = surface(Arc::<GatedSpanStore>::clone(&store), |_| {});
    let mut asked = JoinSet::new();
    for number in 0..40 {
        asked.spawn(ask(app.clone(), number));
    }
    // 32 queries are admitted, and the others are rejected before any of those ends.
    for _ in 32..40 {
        assert_eq!(asked.join_next().await.unwrap().unwrap(), 429);
    }
    let refused = get(&app, &path(0), &[]).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, "1"), "{}", refused.text());
    assert!(refused.text().contains("BTN-1015"), "{}", refused.text());
    for probe in ["/healthz", "/readyz"] {
        assert_eq!(get(&app, probe, &[]).await.status, 200, "{probe}");
    }
    store.until_running(3).await;
    store.gate.add_permits(32);
    while let Some(status) = asked.join_next().await {
        assert!(matches!(status.unwrap(), 200 | 404));
    }
    assert_eq!(store.max_running.load(Ordering::Acquire), 3);
    store.gate.add_permits(1);
    assert_eq!(ask(app, 0).await, 200, "the queue has room again");
}

#[tokio::test]
async fn a_query_ends_with_its_client() {
    let store = GatedSpanStore::new();
    let app = surface(Arc::<GatedSpanStore>::clone(&store), |_| {});
    let mut asked = JoinSet::new();
    for number in 0..6 {
        asked.spawn(ask(app.clone(), number));
    }
    store.until_running(3).await;
    asked.shutdown().await;
    assert_eq!(store.running.load(Ordering::Acquire), 0);
    store.gate.add_permits(1);
    assert_eq!(ask(app, 0).await, 200, "canceled queries release their slots");
}

#[tokio::test]
async fn unread_response_counts_against_its_caller() {
    let store = GatedSpanStore::new();
    let app = surface(Arc::<GatedSpanStore>::clone(&store), |_| {});
    store.gate.add_permits(40);
    let mut unread = Vec::new();
    for _ in 0..32 {
        unread.push(raw(&app, "GET", &path(0), headers(&[]), Body::empty()).await);
    }
    assert!(unread.iter().all(|response| response.status() == 200));
    assert_eq!(ask(app.clone(), 0).await, 429);
    unread.pop();
    assert_eq!(ask(app, 0).await, 200, "a dropped response releases its slot");
}

#[tokio::test]
async fn a_query_that_needs_too_much_memory_says_how_to_narrow_it() {
    let error = SpanStoreError::Query(QueryError::TooLarge("the answer has too many samples".to_owned()));
    let app = surface(super::FailingSpanStore::with(error), |_| {});
    for number in [0, 1, 2] {
        let refused = get(&app, &path(number), &[]).await;
        assert_eq!(refused.status, 422, "{}", refused.text());
        let text = refused.text();
        assert!(text.contains("use a longer step") && text.contains("(BTN-2040)"), "{text}");
    }
}
