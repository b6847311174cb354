//! `GET /tempo/api/traces/{id}` and `GET /tempo/api/v2/traces/{id}`.

use super::{accept, ask, refusal::Refusal};
use crate::{app::Shared, auth::Caller, named::Named};
use axum::{extract::State, response::Response};
use baton_otlp::{Encoding, tempo};
use baton_types::{Span, TraceId};
use http::HeaderMap;
use std::sync::Arc;

/// Version 1: 404 for an unknown trace.
pub(super) async fn first(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    Named(id): Named,
    headers: HeaderMap,
) -> Response {
    let encoding = accept::wanted(&headers);
    let write = move |spans: Vec<Span>| {
        if spans.is_empty() {
            return Refusal::missing("trace not found").response();
        }
        let trace = tempo::trace(&spans);
        drop(spans);
        match encoding {
            Encoding::Protobuf => accept::reply(&trace, encoding),
            Encoding::Json => accept::body(tempo::write_batches(&trace), encoding),
        }
    };
    shown(&shared, &caller, &headers, &id, write).await.unwrap_or_else(Refusal::response)
}

/// Version 2: an empty trace if it is unknown.
pub(super) async fn second(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    Named(id): Named,
    headers: HeaderMap,
) -> Response {
    let encoding = accept::wanted(&headers);
    let write = move |spans: Vec<Span>| {
        let trace = tempo::trace_by_id(&spans);
        drop(spans);
        accept::reply(&trace, encoding)
    };
    shown(&shared, &caller, &headers, &id, write).await.unwrap_or_else(Refusal::response)
}

async fn shown(
    shared: &Shared,
    caller: &Caller,
    headers: &HeaderMap,
    id: &str,
    write: impl FnOnce(Vec<Span>) -> Response + Send + 'static,
) -> Result<Response, Refusal> {
    let store = ask::store(shared, caller, headers)?.store;
    let id: TraceId = id.parse().map_err(|_| Refusal::wrong("invalid trace id: it must be at most 32 hex digits"))?;
    shared.queries.run(caller, store.trace(id), write).await
}
