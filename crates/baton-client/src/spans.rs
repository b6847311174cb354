//! The span store of a Baton: statistics, tail and ingestion.

use crate::{
    Client, ClientError,
    call::{invalid_response, is_stream, read_body, response_error},
    tempo::export_request,
    transport::ReplyBody,
};
use baton_api::{ExportEntry, ExportList, MissedSpans, SpanEntry, SpanStatsEntry};
use baton_encoding::{path_segment, sse::SseParser};
use baton_types::Span;
use bytes::Bytes;
use http::{Request, header};
use http_body_util::{BodyExt as _, Full};
use serde::Deserialize;
use std::time::Duration;

/// Maximum size of an event, in bytes.
const MAX_EVENT: usize = 16 * 1024 * 1024;

/// One item of a stream of spans.
#[derive(Clone, Debug, PartialEq)]
pub enum TailEvent {
    /// A span, with its original JSON.
    Span(Box<SpanEntry>, String),
    /// Number of span batches that were skipped because the reader was too slow.
    Missed(u64),
}

/// Stream of spans as they are stored.
pub struct SpanTail {
    body: ReplyBody,
    parser: SseParser,
    idle_timeout: Duration,
}

impl SpanTail {
    /// The next item; `None` when the server ended the stream, an error if the connection broke.
    pub async fn next(&mut self) -> Option<Result<TailEvent, ClientError>> {
        loop {
            while let Some(event) = self.parser.next() {
                if let Some(item) = tail_event(event.event.as_deref(), event.data) {
                    return Some(item);
                }
            }
            let frame = match tokio::time::timeout(self.idle_timeout, self.body.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(error))) => return Some(Err(ClientError::Interrupted(error.to_string()))),
                Ok(None) => return None,
                Err(_) => return Some(Err(ClientError::Timeout(self.idle_timeout))),
            };
            if let Ok(data) = frame.into_data()
                && let Err(error) = self.parser.feed(&data)
            {
                return Some(Err(ClientError::InvalidResponse(error.to_string())));
            }
        }
    }
}

/// Parses an event; unknown kinds of later servers are ignored.
fn tail_event(kind: Option<&str>, data: String) -> Option<Result<TailEvent, ClientError>> {
    match kind {
        Some("span") | None => {
            let span = serde_json::from_str(&data).map_err(invalid_response);
            Some(span.map(|span| TailEvent::Span(Box::new(span), data)))
        }
        Some("missed") => {
            let missed = serde_json::from_str::<MissedSpans>(&data).map_err(invalid_response);
            Some(missed.map(|missed| TailEvent::Missed(missed.batches)))
        }
        Some(_) => None,
    }
}

impl Client {
    /// Statistics of the span store.
    pub async fn span_stats(&self) -> Result<SpanStatsEntry, ClientError> {
        self.document("/api/v1/spans/stats").await
    }

    /// Status of the export targets.
    pub async fn exports(&self) -> Result<Vec<ExportEntry>, ClientError> {
        Ok(self.document::<ExportList>("/api/v1/exports").await?.exports)
    }

    /// Streams newly stored spans: those that match the query, or all.
    pub async fn tail_spans(&self, query: Option<&str>) -> Result<SpanTail, ClientError> {
        let path = match query {
            Some(query) => format!("/api/v1/spans/tail?q={}", path_segment(query)),
            None => "/api/v1/spans/tail".to_owned(),
        };
        let request = Request::get(&path).header(header::ACCEPT, "text/event-stream").body(Full::new(Bytes::new()));
        let request = request.map_err(|error| ClientError::Address { address: path, reason: error.to_string() })?;
        let response = self.with_timeout_limit(self.exchange(request)).await?;
        if is_stream(&response) {
            let idle_timeout = self.idle_timeout;
            return Ok(SpanTail { body: response.into_body(), parser: SseParser::new(MAX_EVENT), idle_timeout });
        }
        let status = response.status();
        let bytes = self.with_timeout_limit(read_body(response.into_body())).await?;
        Err(response_error(status, &bytes))
    }

    /// Sends spans to the store over OTLP; returns when they are stored.
    pub async fn emit_spans(&self, spans: &[Span]) -> Result<(), ClientError> {
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        struct TraceExportReply {
            partial_success: Option<serde_json::Value>,
        }
        let reply: TraceExportReply = self.post("/v1/traces", &export_request(spans)).await?;
        let partial_success = reply.partial_success.unwrap_or_default();
        let rejected = &partial_success["rejectedSpans"];
        match rejected.as_u64().or_else(|| rejected.as_str()?.parse().ok()) {
            None | Some(0) => Ok(()),
            Some(number) => {
                let reason = partial_success["errorMessage"].as_str().unwrap_or("no reason given");
                Err(ClientError::InvalidResponse(format!("rejected {number} of the spans: {reason}")))
            }
        }
    }
}
