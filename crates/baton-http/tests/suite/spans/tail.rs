//! Spans are shown as they arrive.

use super::{asking, spans, surface};
use crate::speak::{headers, raw};
use axum::{Router, body::Body};
use baton_ports::{SpanBatch, SpanStore as _};
use baton_spans::{EmbeddedSpans, Options};
use http_body_util::BodyExt as _;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What is said next; nothing at the end.
async fn next(body: &mut Body) -> Option<String> {
    let frame = body.frame().await?.unwrap().into_data().unwrap();
    Some(String::from_utf8(frame.to_vec()).unwrap())
}

async fn listening(app: &Router, query: &str) -> Body {
    let path = asking("/api/v1/spans/tail", &[("q", query)]);
    let response = raw(app, "GET", &path, headers(&[]), Body::empty()).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body();
    assert_eq!(next(&mut body).await.as_deref(), Some(": listening\n\n"));
    body
}

#[tokio::test]
async fn matching_spans_are_shown_until_the_end() {
    let store = EmbeddedSpans::in_memory(Options::default()).unwrap();
    let shutdown = CancellationToken::new();
    let app = surface(Arc::<EmbeddedSpans>::clone(&store), |options| options.shutdown = shutdown.clone());
    let mut all = listening(&app, "").await;
    let mut some = listening(&app, "{ insight.type = \"decision\" }").await;
    store.ingest(SpanBatch { spans: spans(), mark: None }).await.unwrap();
    let told = next(&mut some).await.unwrap();
    insta::assert_snapshot!(told);
    assert_eq!(next(&mut all).await.unwrap().matches("event: span\n").count(), 2);
    shutdown.cancel();
    assert_eq!((next(&mut all).await, next(&mut some).await), (None, None));
}

#[tokio::test(start_paused = true)]
async fn an_idle_stream_says_that_it_is_alive() {
    let store = EmbeddedSpans::in_memory(Options::default()).unwrap();
    let app = surface(store, |_| {});
    let mut body = listening(&app, "").await;
    assert_eq!(next(&mut body).await.as_deref(), Some(": still here\n\n"));
}
