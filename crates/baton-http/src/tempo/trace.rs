//! `GET /tempo/api/traces/{id}` and `GET /tempo/api/v2/traces/{id}`.

use super::{accept, ask, refusal::Refusal};
use crate::{app::Shared, auth::Caller, named::Named};
use axum::{extract::State, response::Response};
use baton_otlp::{Encoding, tempo};
use baton_types::{Span, TraceId};
use http::HeaderMap;
use std::sync::Arc;

/// The first version: 404 for a trace that is not known.
pub(super) async fn first(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    Named(id): Named,
    headers: HeaderMap,
) -> Response {
    let encoding = accept::wanted(&headers);
    match spans(&shared, &caller, &headers, &id).await {
        Ok(spans) if spans.is_empty() => Refusal::missing("trace not found").response(),
        Ok(spans) => {
            let trace = tempo::trace(&spans);
            match encoding {
                Encoding::Protobuf => accept::reply(&trace, encoding),
                Encoding::Json => accept::body(tempo::write_batches(&trace), encoding),
            }
        }
        Err(refusal) => refusal.response(),
    }
}

/// The second version: an empty trace when it is not known.
pub(super) async fn second(
    State(shared): State<Arc<Shared>>,
    caller: Caller,
    Named(id): Named,
    headers: HeaderMap,
) -> Response {
    match spans(&shared, &caller, &headers, &id).await {
        Ok(spans) => accept::reply(&tempo::trace_by_id(&spans), accept::wanted(&headers)),
        Err(refusal) => refusal.response(),
    }
}

async fn spans(shared: &Shared, caller: &Caller, headers: &HeaderMap, id: &str) -> Result<Vec<Span>, Refusal> {
    let store = ask::store(shared, caller, headers)?.store;
    let id: TraceId = id.parse().map_err(|_| Refusal::wrong("invalid trace id: that is at most 32 hex digits"))?;
    Ok(store.trace(id).await?)
}
