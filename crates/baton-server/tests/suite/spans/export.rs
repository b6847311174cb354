//! Export of stored spans.

use super::{filled, get, spans, surface, with_query};
use crate::bindings::{headers, raw};
use axum::body::Body;
use baton_span_ports::{SpanBatch, SpanStore as _};
use baton_spans::{EmbeddedSpanStore, SpanStoreOptions};
use baton_types::TraceId;
use http_body_util::BodyExt as _;
use std::{fmt::Write as _, sync::Arc};
use tokio_util::sync::CancellationToken;

const PATH: &str = "/api/v1/spans/export";

#[tokio::test]
async fn spans_come_as_lines_of_otlp() {
    let (app, _store) = filled().await;
    let mut told = String::new();
    for pairs in [
        vec![],
        vec![("q", "{ insight.type == \"decision\" }")],
        vec![("q", "{ name = \"nobody\" }")],
        // The end of the time range is exclusive.
        vec![("start", "1794767304"), ("end", "1794767304001000000")],
        vec![("start", "1794767304001000000"), ("end", "2026-11-15T18:28:25Z")],
        vec![("q", "{ "), ("start", "1794767304")],
        vec![("q", "{ } | rate()")],
        vec![("start", "5"), ("end", "5")],
        vec![("end", "soon")],
    ] {
        let got = get(&app, &with_query(PATH, &pairs), &[]).await;
        let (kind, canonical) = (got.header("content-type"), got.header("x-baton-canonical-query"));
        let _ = writeln!(told, "{pairs:?}\n  {} {kind}\n  {canonical}\n{}", got.status, got.text());
    }
    insta::assert_snapshot!(told);
}

/// An aborted export can be distinguished from a complete one.
#[tokio::test]
async fn shutdown_aborts_the_export() {
    let store = EmbeddedSpanStore::in_memory(SpanStoreOptions::default()).unwrap();
    let many = (0..20_000_u64).flat_map(|number| {
        let mut spans = spans();
        spans.iter_mut().for_each(|span| span.trace = TraceId(u128::from(number + 1).to_be_bytes()));
        spans
    });
    store.ingest(SpanBatch { spans: many.collect(), mark: None }).await.unwrap();
    let shutdown = CancellationToken::new();
    let app = surface(Arc::<EmbeddedSpanStore>::clone(&store), |options| options.http.shutdown = shutdown.clone());
    let response = raw(&app, "GET", PATH, headers(&[]), Body::empty()).await;
    let mut body = response.into_body();
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(first.starts_with(b"{\"resourceSpans\":[") && first.ends_with(b"]}\n"));
    shutdown.cancel();
    assert!(body.frame().await.unwrap().is_err());
    assert!(body.frame().await.is_none());
}
