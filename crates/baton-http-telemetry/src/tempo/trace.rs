//! `GET /tempo/api/traces/{id}` and `GET /tempo/api/v2/traces/{id}`.

use super::{accept, query_target, refusal::TempoRejection};
use crate::state::TelemetryState;
use axum::{extract::State, response::Response};
use baton_http::{Caller, PathName};
use baton_otlp::{Encoding, tempo};
use baton_types::{Span, TraceId};
use http::HeaderMap;
use std::sync::Arc;

/// Version 1: 404 for an unknown trace.
pub(super) async fn show_v1(
    State(shared): State<Arc<TelemetryState>>,
    caller: Caller,
    PathName(id): PathName,
    headers: HeaderMap,
) -> Response {
    let encoding = accept::response_encoding(&headers);
    let write = move |spans: Vec<Span>| {
        if spans.is_empty() {
            return TempoRejection::not_found("trace not found").response();
        }
        let trace = tempo::trace(&spans);
        drop(spans);
        match encoding {
            Encoding::Protobuf => accept::reply(&trace, encoding),
            Encoding::Json => accept::body(tempo::write_batches(&trace), encoding),
        }
    };
    query_trace(&shared, &caller, &headers, &id, write).await.unwrap_or_else(TempoRejection::response)
}

/// Version 2: an empty trace if it is unknown.
pub(super) async fn show_v2(
    State(shared): State<Arc<TelemetryState>>,
    caller: Caller,
    PathName(id): PathName,
    headers: HeaderMap,
) -> Response {
    let encoding = accept::response_encoding(&headers);
    let write = move |spans: Vec<Span>| {
        let trace = tempo::trace_by_id(&spans);
        drop(spans);
        accept::reply(&trace, encoding)
    };
    query_trace(&shared, &caller, &headers, &id, write).await.unwrap_or_else(TempoRejection::response)
}

async fn query_trace(
    shared: &TelemetryState,
    caller: &Caller,
    headers: &HeaderMap,
    id: &str,
    write: impl FnOnce(Vec<Span>) -> Response + Send + 'static,
) -> Result<Response, TempoRejection> {
    let store = query_target::store(shared, caller, headers)?.store;
    let id: TraceId =
        id.parse().map_err(|_| TempoRejection::bad_request("invalid trace id: it must be at most 32 hex digits"))?;
    shared.queries.run(caller, store.trace(id), write).await
}
