//! Live tail of spans.

use super::{spans, surface, with_query};
use crate::bindings::{headers, raw};
use axum::{Router, body::Body};
use baton_span_ports::{SpanBatch, SpanStore as _};
use baton_spans::{EmbeddedSpanStore, SpanStoreOptions};
use baton_types::TraceId;
use http::Response;
use http_body_util::BodyExt as _;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// The next frame; `None` at the end.
async fn next(body: &mut Body) -> Option<String> {
    let frame = body.frame().await?.unwrap().into_data().unwrap();
    Some(String::from_utf8(frame.to_vec()).unwrap())
}

async fn request_tail(app: &Router, query: &str) -> Response<Body> {
    let path = with_query("/api/v1/spans/tail", &[("q", query)]);
    raw(app, "GET", &path, headers(&[]), Body::empty()).await
}

async fn open_tail(app: &Router, query: &str) -> Body {
    let response = request_tail(app, query).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body();
    assert_eq!(next(&mut body).await.as_deref(), Some(": listening\n\n"));
    body
}

#[tokio::test]
async fn matching_spans_are_shown_until_the_end() {
    let store = EmbeddedSpanStore::in_memory(SpanStoreOptions::default()).unwrap();
    let shutdown = CancellationToken::new();
    let app = surface(Arc::<EmbeddedSpanStore>::clone(&store), |options| options.http.shutdown = shutdown.clone());
    let mut all = open_tail(&app, "").await;
    let mut some = open_tail(&app, "{ insight.type = \"decision\" }").await;
    store.ingest(SpanBatch { spans: spans(), mark: None }).await.unwrap();
    let told = next(&mut some).await.unwrap();
    insta::assert_snapshot!(told);
    assert_eq!(next(&mut all).await.unwrap().matches("event: span\n").count(), 2);
    shutdown.cancel();
    assert_eq!((next(&mut all).await, next(&mut some).await), (None, None));
}

#[tokio::test(start_paused = true)]
async fn idle_stream_sends_keep_alive() {
    let store = EmbeddedSpanStore::in_memory(SpanStoreOptions::default()).unwrap();
    let app = surface(store, |_| {});
    let mut body = open_tail(&app, "").await;
    assert_eq!(next(&mut body).await.as_deref(), Some(": still here\n\n"));
}

#[tokio::test]
async fn large_batch_is_sent_in_chunks() {
    let store = EmbeddedSpanStore::in_memory(SpanStoreOptions::default()).unwrap();
    let app = surface(Arc::<EmbeddedSpanStore>::clone(&store), |_| {});
    let mut body = open_tail(&app, "{ span.insight.type = \"decision\" }").await;
    let many = (0..10_000_u64).flat_map(|number| {
        let mut spans = spans();
        spans.iter_mut().for_each(|span| span.trace = TraceId(u128::from(number + 1).to_be_bytes()));
        spans
    });
    store.ingest(SpanBatch { spans: many.collect(), mark: None }).await.unwrap();
    let (mut told, mut longest) = (0, 0);
    while told < 10_000 {
        let piece = next(&mut body).await.unwrap();
        assert!(piece.ends_with("\n\n"));
        told += piece.matches("event: span\n").count();
        longest = longest.max(piece.len());
    }
    assert_eq!(told, 10_000);
    assert!(longest < 128 * 1024, "{longest}");
}

#[tokio::test]
async fn tail_subscriptions_do_not_count_as_task_streams() {
    let store = EmbeddedSpanStore::in_memory(SpanStoreOptions::default()).unwrap();
    let app = surface(store, |options| (options.http.max_streams, options.http.principal_share) = (0, 100));
    let mut open = Vec::new();
    for _ in 0..64 {
        open.push(open_tail(&app, "").await);
    }
    let refused = request_tail(&app, "").await;
    assert_eq!((refused.status().as_u16(), &refused.headers()["retry-after"]), (503, &"1".parse().unwrap()));
    open.pop();
    open.push(open_tail(&app, "").await);
}
