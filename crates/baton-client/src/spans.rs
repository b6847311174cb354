//! The span store of a Baton: how full it is, what arrives in it, and giving it spans.

use crate::{
    Client, ClientError,
    call::{is_stream, read, refused, unintelligible},
    tempo::exported,
    transport::ReplyBody,
};
use baton_types::Span;
use baton_wire::{
    api::{ExportEntry, ExportList, MissedSpans, SpanEntry, SpanStatsEntry},
    path_segment,
    sse::SseParser,
};
use bytes::Bytes;
use http::{Request, header};
use http_body_util::{BodyExt as _, Full};
use serde::Deserialize;
use std::time::Duration;

/// Largest event, in bytes.
const MAX_EVENT: usize = 16 * 1024 * 1024;

/// One item of a stream of spans.
#[derive(Clone, Debug, PartialEq)]
pub enum TailEvent {
    /// A span, with the JSON that it came in.
    Span(Box<SpanEntry>, String),
    /// So many batches of spans went by unseen, because they came faster than they were read.
    Missed(u64),
}

/// Spans as they are kept.
pub struct SpanTail {
    body: ReplyBody,
    parser: SseParser,
    idle_timeout: Duration,
}

impl SpanTail {
    /// The next item; `None` when the server ended the stream, an error when it broke off.
    pub async fn next(&mut self) -> Option<Result<TailEvent, ClientError>> {
        loop {
            while let Some(event) = self.parser.next() {
                if let Some(item) = item(event.event.as_deref(), event.data) {
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
                return Some(Err(ClientError::Unintelligible(error.to_string())));
            }
        }
    }
}

/// What an event says; kinds that later servers may add say nothing to this one.
fn item(kind: Option<&str>, data: String) -> Option<Result<TailEvent, ClientError>> {
    match kind {
        Some("span") | None => {
            let span = serde_json::from_str(&data).map_err(unintelligible);
            Some(span.map(|span| TailEvent::Span(Box::new(span), data)))
        }
        Some("missed") => {
            let missed = serde_json::from_str::<MissedSpans>(&data).map_err(unintelligible);
            Some(missed.map(|missed| TailEvent::Missed(missed.batches)))
        }
        Some(_) => None,
    }
}

impl Client {
    /// How full the span store is.
    pub async fn span_stats(&self) -> Result<SpanStatsEntry, ClientError> {
        self.document("/api/v1/spans/stats").await
    }

    /// How it goes with those who are sent what is kept.
    pub async fn exports(&self) -> Result<Vec<ExportEntry>, ClientError> {
        Ok(self.document::<ExportList>("/api/v1/exports").await?.exports)
    }

    /// Spans as they are kept from now on: those that the query selects, or all.
    pub async fn tail_spans(&self, query: Option<&str>) -> Result<SpanTail, ClientError> {
        let path = match query {
            Some(query) => format!("/api/v1/spans/tail?q={}", path_segment(query)),
            None => "/api/v1/spans/tail".to_owned(),
        };
        let request = Request::get(&path).header(header::ACCEPT, "text/event-stream").body(Full::new(Bytes::new()));
        let request = request.map_err(|error| ClientError::Address { address: path, reason: error.to_string() })?;
        let response = self.in_time(self.exchange(request)).await?;
        if is_stream(&response) {
            let idle_timeout = self.idle_timeout;
            return Ok(SpanTail { body: response.into_body(), parser: SseParser::new(MAX_EVENT), idle_timeout });
        }
        let status = response.status();
        let bytes = self.in_time(read(response.into_body())).await?;
        Err(refused(status, &bytes))
    }

    /// Gives spans to the store, as any OpenTelemetry exporter does; returns when they are kept.
    pub async fn emit_spans(&self, spans: &[Span]) -> Result<(), ClientError> {
        #[derive(Default, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        struct Exported {
            partial_success: Option<serde_json::Value>,
        }
        let reply: Exported = self.post("/v1/traces", &exported(spans)).await?;
        let said = reply.partial_success.unwrap_or_default();
        let rejected = &said["rejectedSpans"];
        match rejected.as_u64().or_else(|| rejected.as_str()?.parse().ok()) {
            None | Some(0) => Ok(()),
            Some(number) => {
                let why = said["errorMessage"].as_str().unwrap_or("it does not say why");
                Err(ClientError::Unintelligible(format!("{number} spans were not taken: {why}")))
            }
        }
    }
}
