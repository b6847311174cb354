//! Ingestion of spans in each encoding, compressed or not.

use super::{FailingSpanStore, FullResponse, get, gzip, post, spans, surface, world};
use crate::bindings::framed;
use axum::Router;
use baton_otlp::{Encoding, proto::ExportTraceServiceResponse, write_export};
use baton_span_ports::{SpanStore as _, SpanStoreError};
use baton_spans::EmbeddedSpanStore;
use baton_types::Span;
use prost::Message as _;
use std::sync::Arc;

const EXPORT: &str = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

async fn kept(store: &EmbeddedSpanStore) -> Vec<Span> {
    store.trace(spans()[0].trace).await.unwrap()
}

async fn over_http(app: &Router, path: &str, encoding: Encoding, packed: bool, body: Vec<u8>) -> FullResponse {
    let mut headers = vec![("content-type", encoding.media_type())];
    if packed {
        headers.push(("content-encoding", "gzip"));
    }
    post(app, path, &headers, if packed { gzip(&body) } else { body }).await
}

#[tokio::test]
async fn spans_arrive_whole_in_every_form() {
    for encoding in [Encoding::Protobuf, Encoding::Json] {
        for (path, packed) in [("/v1/traces", false), ("/otlp/v1/traces", true)] {
            let (app, store) = world();
            let got = over_http(&app, path, encoding, packed, write_export(&spans(), encoding)).await;
            let expect: &[u8] = if encoding == Encoding::Json { b"{}" } else { b"" };
            assert_eq!((got.status, got.body.as_slice()), (200, expect), "{encoding:?} {path}");
            assert_eq!(got.header("content-type"), encoding.media_type());
            assert_eq!(kept(&store).await, spans(), "{encoding:?} {path}");
        }
    }
}

#[tokio::test]
async fn compressed_batches_are_ingested_off_the_request_thread() {
    let store = FailingSpanStore::with(SpanStoreError::Busy);
    let app = surface(Arc::<FailingSpanStore>::clone(&store), |_| {});
    let here = std::thread::current().id();
    for (packed, beside) in [(false, false), (true, true)] {
        let message = write_export(&spans(), Encoding::Protobuf);
        let got = over_http(&app, "/v1/traces", Encoding::Protobuf, packed, message).await;
        assert_eq!(got.status, 429);
        let ingest_thread = store.ingest_threads.lock().unwrap().pop();
        assert_eq!(ingest_thread.map(|thread| thread != here), Some(beside), "{packed}");
    }
}

#[tokio::test]
async fn spans_arrive_over_grpc() {
    let message = write_export(&spans(), Encoding::Protobuf);
    let grpc = ("content-type", "application/grpc");
    let packed = [&[1], &framed(&gzip(&message))[1..]].concat();
    for (headers, body) in [
        (vec![grpc], framed(&message)),
        (vec![grpc, ("grpc-encoding", "gzip")], packed),
        (vec![grpc, ("grpc-encoding", "gzip")], framed(&message)),
    ] {
        let (app, store) = world();
        let got = post(&app, EXPORT, &headers, body).await;
        assert_eq!((got.status, got.header("grpc-status"), got.body.as_slice()), (200, "0", &[0; 5][..]));
        assert_eq!(got.header("content-type"), "application/grpc");
        assert_eq!(kept(&store).await, spans());
    }
}

#[tokio::test]
async fn a_bad_span_is_reported_and_the_others_are_kept() {
    let (app, store) = world();
    let mut batch = spans();
    batch[1].trace = baton_types::TraceId([0; 16]);
    let message = write_export(&batch, Encoding::Protobuf);
    let got = over_http(&app, "/v1/traces", Encoding::Protobuf, false, message.clone()).await;
    let partial = ExportTraceServiceResponse::decode(got.body.as_slice()).unwrap().partial_success.unwrap();
    assert_eq!((got.status, partial.rejected_spans), (200, 1));
    insta::assert_snapshot!(
        partial.error_message,
        @"rejected 1 of the spans: the trace id is not 16 bytes (32 hex digits) or only zeros (1)"
    );
    let got = post(&app, EXPORT, &[("content-type", "application/grpc")], framed(&message)).await;
    let partial = ExportTraceServiceResponse::decode(&got.body[5..]).unwrap().partial_success.unwrap();
    assert_eq!((got.header("grpc-status"), partial.rejected_spans), ("0", 1));
    assert_eq!(kept(&store).await, spans()[..1], "a repeated span is stored once");
    let stats = get(&app, "/api/v1/spans/stats", &[]).await;
    assert_eq!(stats.status, 200);
    let stats: serde_json::Value = serde_json::from_slice(&stats.body).unwrap();
    assert!(stats["spans"].as_u64().unwrap() > 0, "{stats}");
    assert!(stats["newest"].as_str().unwrap().starts_with("2026-11-15T18:28:24"), "{stats}");
}
