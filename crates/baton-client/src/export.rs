//! Spans that a Baton keeps, read through.

use crate::{
    Client, ClientError,
    call::{read, refused, unintelligible},
    tempo::{CANONICAL, WARNINGS, said, spans_of},
    transport::ReplyBody,
};
use baton_types::Span;
use baton_wire::path_segment;
use bytes::{Bytes, BytesMut};
use http::{Request, header};
use http_body_util::{BodyExt as _, Full};
use serde::Deserialize;
use std::{fmt::Write as _, time::Duration};

/// Longest line, in bytes: a span of the largest size, with everything escaped.
const MAX_LINE: usize = 64 * 1024 * 1024;

/// Which spans are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportRequest {
    /// Those that answer this search in TraceQL; all when there is none.
    pub query: Option<String>,
    /// Those that began at this moment or later, in nanoseconds since the Unix epoch.
    pub start: Option<u64>,
    /// Those that began before this moment.
    pub end: Option<u64>,
    /// Whether the query is taken exactly as Tempo would take it.
    pub strict: bool,
}

/// What a reading brings.
#[derive(Clone, Debug, PartialEq)]
pub enum ExportItem {
    /// Spans.
    Spans(Vec<Span>),
    /// The trace with this id is too large to be looked at, or takes too long, and was left out.
    LeftOut(String),
}

/// Spans as they are read.
pub struct SpanExport {
    /// The query as it was understood, when the server says so.
    pub canonical: Option<String>,
    /// What was rewritten or ignored, in one line.
    pub warnings: Option<String>,
    body: ReplyBody,
    buffer: BytesMut,
    /// How much of the buffer is known to have no end of a line.
    searched: usize,
    idle_timeout: Duration,
}

impl SpanExport {
    /// The next item; `None` when that was all, an error when it broke off before.
    pub async fn next(&mut self) -> Option<Result<ExportItem, ClientError>> {
        loop {
            while let Some(line) = self.line() {
                if !line.trim_ascii().is_empty() {
                    return Some(item(&line));
                }
            }
            if self.buffer.len() > MAX_LINE {
                return Some(Err(ClientError::Unintelligible(format!("a line is longer than {MAX_LINE} bytes"))));
            }
            let frame = match tokio::time::timeout(self.idle_timeout, self.body.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(error))) => return Some(Err(ClientError::Interrupted(error.to_string()))),
                Ok(None) if self.buffer.is_empty() => return None,
                Ok(None) => {
                    self.buffer.clear();
                    return Some(Err(ClientError::Interrupted("the last line is not whole".to_owned())));
                }
                Err(_) => return Some(Err(ClientError::Timeout(self.idle_timeout))),
            };
            if let Ok(data) = frame.into_data() {
                self.buffer.extend_from_slice(&data);
            }
        }
    }

    fn line(&mut self) -> Option<Bytes> {
        match self.buffer[self.searched..].iter().position(|byte| *byte == b'\n') {
            Some(at) => {
                let line = self.buffer.split_to(self.searched + at + 1);
                self.searched = 0;
                Some(line.freeze())
            }
            None => {
                self.searched = self.buffer.len();
                None
            }
        }
    }
}

fn item(line: &[u8]) -> Result<ExportItem, ClientError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Said {
        left_out: Option<String>,
    }
    let spans = spans_of(line)?;
    if spans.is_empty()
        && let Some(trace) = serde_json::from_slice::<Said>(line).map_err(unintelligible)?.left_out
    {
        return Ok(ExportItem::LeftOut(trace));
    }
    Ok(ExportItem::Spans(spans))
}

impl Client {
    /// Reads spans through that are kept: those that answer a query and began in a time, or all.
    pub async fn export_spans(&self, request: &ExportRequest) -> Result<SpanExport, ClientError> {
        let ExportRequest { query, start, end, strict } = request;
        let mut path = format!("/api/v1/spans/export?strict={}", u8::from(*strict));
        if let Some(query) = query {
            let _ = write!(path, "&q={}", path_segment(query));
        }
        for (name, moment) in [("start", start), ("end", end)] {
            if let Some(moment) = moment {
                // As many digits as nanoseconds have, so that nobody takes them for seconds.
                let _ = write!(path, "&{name}={moment:016}");
            }
        }
        let request = Request::get(&path).header(header::ACCEPT, "application/x-ndjson").body(Full::new(Bytes::new()));
        let request = request.map_err(|error| ClientError::Address { address: path, reason: error.to_string() })?;
        let response = self.in_time(self.exchange(request)).await?;
        let (head, body) = response.into_parts();
        if !head.status.is_success() {
            let bytes = self.in_time(read(body)).await?;
            return Err(refused(head.status, &bytes));
        }
        Ok(SpanExport {
            canonical: said(&head.headers, CANONICAL),
            warnings: said(&head.headers, WARNINGS),
            body,
            buffer: BytesMut::new(),
            searched: 0,
            idle_timeout: self.idle_timeout,
        })
    }
}
