//! `GET /api/v1/spans/export?q=&start=&end=&strict=`: stored spans as lines of OTLP JSON.

use super::{readable_store, store_error};
use crate::{
    state::TelemetryState,
    tempo::{explain, parse_time},
};
use axum::{
    body::Body,
    extract::{Query, State, rejection::QueryRejection},
    response::Response,
};
use baton_api::{ApiError, ApiErrorKind};
use baton_http::{Caller, SharePermit, reply};
use baton_otlp::{Encoding, write_export};
use baton_ports::BoxFuture;
use baton_span_ports::{SpanReadItem, SpanReadRequest, SpanReader, TimeRange};
use baton_traceql::{Mode, ParsedQuery, Query as TraceQl, Root, parse, search_pipeline};
use baton_types::ErrorCode;
use bytes::Bytes;
use http::{HeaderValue, header};
use schemars::JsonSchema;
use serde::Deserialize;
use std::{io, pin::pin, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Query parameters of an export.
#[derive(Deserialize, JsonSchema)]
pub(super) struct SpanExportParams {
    /// TraceQL query that selects spans; all spans when empty.
    #[serde(default)]
    q: String,
    /// Earliest start time: RFC 3339, or Unix time in seconds or nanoseconds.
    #[serde(default)]
    start: String,
    /// First start time that is not exported, in the same forms.
    #[serde(default)]
    end: String,
    /// `1` or `true`: read the query strictly like Tempo.
    #[serde(default)]
    strict: String,
}

/// Exports every span that matches a query and started in a time range, without a limit.
pub(super) async fn export(
    State(shared): State<Arc<TelemetryState>>,
    caller: Caller,
    params: Result<Query<SpanExportParams>, QueryRejection>,
) -> Response {
    match start_export(&shared, &caller, params).await {
        Ok((exporting, canonical, warnings)) => {
            let mut response = Response::new(Body::from_stream(lines(exporting)));
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
            explain(&mut response, &canonical, &warnings);
            response
        }
        Err(error) => reply::error(&error),
    }
}

struct SpanExportStream {
    _permit: SharePermit,
    reader: Box<dyn SpanReader>,
    keep_alive: Duration,
    shutdown: CancellationToken,
    /// Resolves when the caller's credentials expire.
    credentials_revoked: BoxFuture<'static, ()>,
}

async fn start_export(
    shared: &TelemetryState,
    caller: &Caller,
    params: Result<Query<SpanExportParams>, QueryRejection>,
) -> Result<(SpanExportStream, String, Vec<String>), ApiError> {
    let store = readable_store(shared, caller)?;
    let wrong = |message: String| ApiError::new(ApiErrorKind::InvalidParams, ErrorCode::INVALID_REQUEST, message);
    let Query(params) = params.map_err(|error| wrong(error.body_text()))?;
    let invalid = |message: String| ApiError::new(ApiErrorKind::InvalidParams, ErrorCode::TRACEQL_INVALID, message);
    let strict = matches!(params.strict.as_str(), "1" | "true");
    let text = if params.q.trim().is_empty() { "{ }" } else { &params.q };
    let ParsedQuery { query, mut warnings } =
        parse(text, if strict { Mode::Strict } else { Mode::Lenient }).map_err(|error| invalid(error.to_string()))?;
    let canonical = query.to_string();
    let (spans, ignored) = search_pipeline(&query).map_err(|error| invalid(error.to_string()))?;
    warnings.extend(ignored);
    let request = SpanReadRequest {
        query: Arc::new(TraceQl { root: Root::Search(spans), hints: query.hints }),
        range: range(&params).map_err(wrong)?,
        aliases: !strict,
    };
    let permit = shared.queries.export(caller)?;
    let reader = store.read(request).await.map_err(|error| store_error(&error))?;
    let exporting = SpanExportStream {
        _permit: permit,
        reader,
        keep_alive: shared.http.options.keep_alive,
        shutdown: shared.http.options.shutdown.clone(),
        credentials_revoked: caller.credentials_revoked(),
    };
    Ok((exporting, canonical, warnings))
}

/// Half-open range from `start` to `end`, so that adjacent ranges contain each span once.
fn range(params: &SpanExportParams) -> Result<TimeRange, String> {
    let named = |name, text: &str| if text.is_empty() { Ok(None) } else { parse_time(name, text).map(Some) };
    let start = named("start", &params.start)?.unwrap_or(TimeRange::ALL.start);
    let end = match named("end", &params.end)? {
        Some(end) => end.checked_sub(1).filter(|end| start <= *end).ok_or("invalid start: it must be before end")?,
        None => TimeRange::ALL.end,
    };
    Ok(TimeRange { start, end })
}

/// An incomplete export ends with a transport error.
fn lines(exporting: SpanExportStream) -> impl futures_core::Stream<Item = Result<Bytes, io::Error>> {
    async_stream::stream! {
        let mut exporting = exporting;
        let mut stopped = pin!(exporting.shutdown.clone().cancelled_owned());
        let mut beat = tokio::time::interval(exporting.keep_alive);
        beat.reset();
        loop {
            let read = {
                let mut next = exporting.reader.next();
                loop {
                    tokio::select! {
                        biased;
                        () = &mut stopped => break Err(io::Error::other("the server is shutting down")),
                        () = &mut exporting.credentials_revoked => break Err(io::Error::other("the token has expired or was revoked")),
                        read = &mut next => break read.map_err(|error| {
                            // Logged for the operator; the client sees only the aborted stream.
                            let _ = store_error(&error);
                            io::Error::other(error)
                        }),
                        // Empty lines keep the connection alive while no spans match.
                        _ = beat.tick() => yield Ok(Bytes::from_static(b"\n")),
                    }
                }
            };
            match read {
                Ok(Some(read)) => match tokio::task::spawn_blocking(move || line(read)).await {
                    Ok(line) => yield Ok(line),
                    Err(error) => {
                        yield Err(io::Error::other(error));
                        break;
                    }
                },
                Ok(None) => break,
                Err(error) => {
                    yield Err(error);
                    break;
                }
            }
        }
    }
}

/// Encodes one line. It can be several megabytes, so it runs off the request threads. An omitted trace is reported next
/// to an empty list, so that OTLP readers ignore it.
fn line(read: SpanReadItem) -> Bytes {
    match read {
        SpanReadItem::Spans(spans) => {
            let mut line = write_export(&spans, Encoding::Json);
            line.push(b'\n');
            line.into()
        }
        SpanReadItem::Skipped(trace) => format!("{{\"resourceSpans\":[],\"leftOut\":\"{trace}\"}}\n").into(),
    }
}
