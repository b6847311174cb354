//! Spans of other services: ingestion over OTLP and queries with TraceQL.

mod discarded;
mod export;
mod exporters;
mod metrics;
mod query_limits;
mod refusals;
mod tail;
mod tempo;

use crate::{
    bindings::{Headers, headers, raw},
    world::configured,
    world::{engine, options},
};
use axum::{Router, body::Body};
use baton_http_telemetry::SpanPorts;
use baton_ports::BoxFuture;
use baton_server::{SurfaceOptions, app};
use baton_span_ports::{
    MetricsResult, SpanBatch, SpanFeed, SpanMetricsRequest, SpanStats, SpanStore, SpanStoreError, TagNames,
    TagsRequest, TraceSearchRequest, TraceSearchResult,
};
use baton_spans::{EmbeddedSpanStore, SpanStoreOptions};
use baton_traceql::Field;
use baton_types::{
    Span, SpanDropCounts, SpanEvent, SpanId, SpanKind, SpanResource, SpanScope, SpanStatus, SpanValue, TraceId,
};
use flate2::{Compression, write::GzEncoder};
use http::{HeaderMap, Response};
use http_body_util::BodyExt as _;
use std::{
    io::Write as _,
    sync::{Arc, Mutex},
    thread::ThreadId,
};

/// An app with a span store in memory.
pub(crate) fn world() -> (Router, Arc<EmbeddedSpanStore>) {
    let store = EmbeddedSpanStore::in_memory(SpanStoreOptions::default()).unwrap();
    (surface(Arc::<EmbeddedSpanStore>::clone(&store), |_| {}), store)
}

pub(crate) fn surface(store: Arc<dyn SpanStore>, change: impl FnOnce(&mut SurfaceOptions)) -> Router {
    let mut options = configured(options(), |options| {
        options.telemetry.spans = Some(SpanPorts { store });
    });
    change(&mut options);
    app(engine(&["weather"]), options)
}

/// Two spans of one trace, with values for every queryable field.
pub(crate) fn spans() -> Vec<Span> {
    let resource = Arc::new(SpanResource {
        attributes: vec![("service.name".into(), "checkout".into()), ("project.id".into(), "shop".into())],
        ..SpanResource::default()
    });
    let scope = Arc::new(SpanScope { name: "tests".to_owned(), version: "1".to_owned(), ..SpanScope::default() });
    let root = Span {
        trace: TraceId([0x0a; 16]),
        id: SpanId([1; 8]),
        parent: None,
        trace_state: String::new(),
        flags: 1,
        name: "invoke_agent orchestrator".into(),
        kind: SpanKind::Server,
        start: 1_794_767_304_000_000_000,
        end: 1_794_767_304_012_000_000,
        attributes: vec![("gen_ai.agent.name".into(), "orchestrator".into())],
        events: Vec::new(),
        links: Vec::new(),
        status: SpanStatus::Error,
        status_message: "it broke".to_owned(),
        dropped: SpanDropCounts::default(),
        resource,
        scope,
    };
    let insight = Span {
        id: SpanId([2; 8]),
        parent: Some(root.id),
        name: "insight.decision".into(),
        kind: SpanKind::Internal,
        start: root.start + 1_000_000,
        end: root.start + 3_000_000,
        status: SpanStatus::Unset,
        status_message: String::new(),
        attributes: vec![
            ("insight.type".into(), "decision".into()),
            ("insight.confidence".into(), SpanValue::Float(0.92)),
            ("insight.applies_to".into(), SpanValue::List(vec!["a.rs".into(), "b.rs".into()])),
            ("tokens".into(), SpanValue::Int(17)),
        ],
        events: vec![SpanEvent {
            at: root.start + 2_000_000,
            name: "evidence".into(),
            attributes: vec![("evidence.ref".into(), "ticket-1".into())],
            dropped_attributes: 0,
        }],
        ..root.clone()
    };
    vec![root, insight]
}

pub(crate) async fn filled() -> (Router, Arc<EmbeddedSpanStore>) {
    let (app, store) = world();
    store.ingest(SpanBatch { spans: spans(), mark: None }).await.unwrap();
    (app, store)
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A response with its complete body and trailers.
pub(crate) struct FullResponse {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) trailers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl FullResponse {
    pub(crate) async fn read(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        let collected = body.collect().await.unwrap();
        let trailers = collected.trailers().cloned().unwrap_or_default();
        Self { status: parts.status.as_u16(), headers: parts.headers, trailers, body: collected.to_bytes().to_vec() }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).or_else(|| self.trailers.get(name)).map_or("", |value| value.to_str().unwrap())
    }
}

pub(crate) async fn post(app: &Router, path: &str, given: Headers<'_>, body: Vec<u8>) -> FullResponse {
    FullResponse::read(raw(app, "POST", path, headers(given), body).await).await
}

pub(crate) async fn get(app: &Router, path: &str, given: Headers<'_>) -> FullResponse {
    FullResponse::read(raw(app, "GET", path, headers(given), Body::empty()).await).await
}

/// A path with a query string.
pub(crate) fn with_query(path: &str, pairs: &[(&str, &str)]) -> String {
    format!("{path}?{}", form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish())
}

/// A store that returns one error and records the threads that call `ingest`.
pub(crate) struct FailingSpanStore {
    error: SpanStoreError,
    pub(crate) ingest_threads: Mutex<Vec<ThreadId>>,
}

impl FailingSpanStore {
    pub(crate) fn with(error: SpanStoreError) -> Arc<Self> {
        Arc::new(Self { error, ingest_threads: Mutex::default() })
    }

    fn fail<T: Send + 'static>(&self) -> BoxFuture<'static, Result<T, SpanStoreError>> {
        Box::pin(std::future::ready(Err(self.error.clone())))
    }
}

impl SpanStore for FailingSpanStore {
    fn ingest(&self, _: SpanBatch) -> BoxFuture<'static, Result<(), SpanStoreError>> {
        self.ingest_threads.lock().unwrap().push(std::thread::current().id());
        self.fail()
    }

    fn search(&self, _: TraceSearchRequest) -> BoxFuture<'_, Result<TraceSearchResult, SpanStoreError>> {
        self.fail()
    }

    fn metrics(&self, _: SpanMetricsRequest) -> BoxFuture<'_, Result<MetricsResult, SpanStoreError>> {
        self.fail()
    }

    fn trace(&self, _: TraceId) -> BoxFuture<'_, Result<Vec<Span>, SpanStoreError>> {
        self.fail()
    }

    fn tags(&self, _: TagsRequest) -> BoxFuture<'_, Result<TagNames, SpanStoreError>> {
        self.fail()
    }

    fn tag_values(&self, _: Field, _: TagsRequest) -> BoxFuture<'_, Result<Vec<SpanValue>, SpanStoreError>> {
        self.fail()
    }

    fn subscribe(&self) -> Box<dyn SpanFeed> {
        struct EmptyFeed;
        impl SpanFeed for EmptyFeed {
            fn next(&mut self) -> BoxFuture<'_, Option<baton_span_ports::SpanFeedEvent>> {
                Box::pin(std::future::ready(None))
            }
        }
        Box::new(EmptyFeed)
    }

    fn mark(&self, _: &str) -> Option<u64> {
        None
    }

    fn stats(&self) -> BoxFuture<'_, Result<SpanStats, SpanStoreError>> {
        self.fail()
    }
}
