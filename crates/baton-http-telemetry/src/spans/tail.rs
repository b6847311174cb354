//! `GET /api/v1/spans/tail?q=&strict=`: spans as they arrive, as server-sent events.

use super::{entry::entry, readable_store};
use crate::state::TelemetryState;
use axum::{
    body::Body,
    extract::{Query, State, rejection::QueryRejection},
    response::Response,
};
use baton_api::{ApiError, ApiErrorKind, MissedSpans};
use baton_http::{Caller, SharePermit, reply};
use baton_ports::BoxFuture;
use baton_span_ports::{SpanFeed, SpanFeedEvent};
use baton_traceql::{Aliases, Mode, SearchPlan, check_tail, parse};
use baton_types::ErrorCode;
use bytes::Bytes;
use http::{HeaderValue, header};
use schemars::JsonSchema;
use serde::Deserialize;
use std::{convert::Infallible, io::Write as _, pin::pin, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Maximum concurrent subscriptions; each of them filters every span that arrives.
pub(crate) const MAX_TAILS: usize = 64;

/// Approximate chunk size of a batch, for slow readers.
const CHUNK_BYTES: usize = 64 * 1024;

/// Spans that are filtered before the task yields.
const SPANS_PER_YIELD: usize = 1024;

/// Query parameters of a tail.
#[derive(Deserialize, JsonSchema)]
pub(super) struct SpanTailParams {
    /// TraceQL query that selects spans; all spans when empty.
    #[serde(default)]
    q: String,
    /// `1` or `true`: read the query strictly like Tempo.
    #[serde(default)]
    strict: String,
}

/// Streams new spans that match a filter.
pub(super) async fn tail(
    State(shared): State<Arc<TelemetryState>>,
    caller: Caller,
    params: Result<Query<SpanTailParams>, QueryRejection>,
) -> Response {
    match start_tail(&shared, &caller, params) {
        Ok(tailing) => {
            let mut response = Response::new(Body::from_stream(events(tailing)));
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
            response
        }
        Err(error) => reply::error(&error),
    }
}

struct SpanTailStream {
    feed: Box<dyn SpanFeed>,
    query: SearchPlan,
    keep_alive: Duration,
    shutdown: CancellationToken,
    /// Resolves when the caller's credentials expire.
    credentials_revoked: BoxFuture<'static, ()>,
    _permit: SharePermit,
}

fn start_tail(
    shared: &TelemetryState,
    caller: &Caller,
    params: Result<Query<SpanTailParams>, QueryRejection>,
) -> Result<SpanTailStream, ApiError> {
    let store = readable_store(shared, caller)?;
    let Query(params) = params
        .map_err(|error| ApiError::new(ApiErrorKind::InvalidParams, ErrorCode::INVALID_REQUEST, error.body_text()))?;
    let invalid = |message: String| ApiError::new(ApiErrorKind::InvalidParams, ErrorCode::TRACEQL_INVALID, message);
    let strict = matches!(params.strict.as_str(), "1" | "true");
    let mode = if strict { Mode::Strict } else { Mode::Lenient };
    let text = if params.q.trim().is_empty() { "{ }" } else { &params.q };
    let query = parse(text, mode).map_err(|error| invalid(error.to_string()))?.query;
    check_tail(&query).map_err(|error| invalid(error.to_string()))?;
    let aliases = if strict { Aliases::NONE } else { Aliases(baton_telemetry::ALIASES) };
    let permit = shared.tails.acquire(caller).map_err(|refusal| refusal.error("span subscriptions"))?;
    Ok(SpanTailStream {
        query: SearchPlan::new(&query, aliases).map_err(|error| invalid(error.to_string()))?,
        feed: store.subscribe(),
        keep_alive: shared.http.options.keep_alive,
        shutdown: shared.http.options.shutdown.clone(),
        credentials_revoked: caller.credentials_revoked(),
        _permit: permit,
    })
}

/// Keep-alive comment of an idle stream.
const KEEP_ALIVE_COMMENT: &[u8] = b": still here\n\n";

fn events(tailing: SpanTailStream) -> impl futures_core::Stream<Item = Result<Bytes, Infallible>> {
    async_stream::stream! {
        // The stream owns the whole state, so that the permit is held until it ends.
        let mut tailing = tailing;
        // Confirms the subscription: every span that arrives from now on is streamed.
        yield Ok(Bytes::from_static(b": listening\n\n"));
        let mut stopped = pin!(tailing.shutdown.clone().cancelled_owned());
        let mut beat = tokio::time::interval(tailing.keep_alive);
        beat.reset();
        loop {
            let feed_event = {
                let mut next = tailing.feed.next();
                loop {
                    tokio::select! {
                        biased;
                        () = &mut stopped => break None,
                        () = &mut tailing.credentials_revoked => break None,
                        feed_event = &mut next => break feed_event,
                        _ = beat.tick() => yield Ok(Bytes::from_static(KEEP_ALIVE_COMMENT)),
                    }
                }
            };
            let Some(feed_event) = feed_event else { break };
            let mut bytes = Vec::new();
            match feed_event {
                SpanFeedEvent::Spans(spans) => {
                    for turn in spans.chunks(SPANS_PER_YIELD) {
                        for span in turn.iter().filter(|span| tailing.query.matches_span(span)) {
                            event(&mut bytes, "span", &entry(span));
                            if bytes.len() >= CHUNK_BYTES {
                                yield Ok(Bytes::from(std::mem::take(&mut bytes)));
                            }
                        }
                        tokio::task::consume_budget().await;
                    }
                }
                SpanFeedEvent::Missed(batches) => event(&mut bytes, "missed", &MissedSpans { batches }),
            }
            if !bytes.is_empty() {
                yield Ok(Bytes::from(bytes));
            }
        }
    }
}

fn event(out: &mut Vec<u8>, name: &str, data: &impl serde::Serialize) {
    let _ = write!(out, "event: {name}\ndata: ");
    // Serialization of maps with string keys cannot fail.
    let _ = serde_json::to_writer(&mut *out, data);
    out.extend_from_slice(b"\n\n");
}
