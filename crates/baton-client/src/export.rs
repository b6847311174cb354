//! Bulk export of stored spans.

use crate::{
    Client, ClientError,
    call::{invalid_response, read_body, response_error},
    tempo::{CANONICAL, WARNINGS, decoded_header, spans_of},
    transport::ReplyBody,
};
use baton_encoding::path_segment;
use baton_types::Span;
use bytes::{Bytes, BytesMut};
use http::{Request, header};
use http_body_util::{BodyExt as _, Full};
use serde::Deserialize;
use std::{fmt::Write as _, time::Duration};

/// Maximum length of a line, in bytes: a span of the maximum size, fully escaped.
const MAX_LINE: usize = 64 * 1024 * 1024;

/// Selection of spans to export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportRequest {
    /// TraceQL search; all spans if not given.
    pub query: Option<String>,
    /// Earliest start time, in nanoseconds since the Unix epoch.
    pub start: Option<u64>,
    /// Start times must be before this time.
    pub end: Option<u64>,
    /// Whether to parse the query exactly as Tempo does.
    pub strict: bool,
}

/// One item of an export.
#[derive(Clone, Debug, PartialEq)]
pub enum ExportItem {
    /// Spans.
    Spans(Vec<Span>),
    /// The trace with this id exceeded a size or time limit and was skipped.
    LeftOut(String),
}

/// Stream of exported spans.
pub struct SpanExport {
    /// The canonical form of the query, if the server returns it.
    pub canonical: Option<String>,
    /// Rewritten or ignored parts of the query, in one line.
    pub warnings: Option<String>,
    body: ReplyBody,
    buffer: BytesMut,
    /// Length of the buffer prefix that contains no line end.
    searched: usize,
    idle_timeout: Duration,
}

impl SpanExport {
    /// The next item; `None` at the end, an error if the connection broke before.
    pub async fn next(&mut self) -> Option<Result<ExportItem, ClientError>> {
        loop {
            while let Some(line) = self.line() {
                if !line.trim_ascii().is_empty() {
                    return Some(export_item(&line));
                }
            }
            if self.buffer.len() > MAX_LINE {
                return Some(Err(ClientError::InvalidResponse(format!("a line is longer than {MAX_LINE} bytes"))));
            }
            let frame = match tokio::time::timeout(self.idle_timeout, self.body.frame()).await {
                Ok(Some(Ok(frame))) => frame,
                Ok(Some(Err(error))) => return Some(Err(ClientError::Interrupted(error.to_string()))),
                Ok(None) if self.buffer.is_empty() => return None,
                Ok(None) => {
                    self.buffer.clear();
                    return Some(Err(ClientError::Interrupted("the last line is incomplete".to_owned())));
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

fn export_item(line: &[u8]) -> Result<ExportItem, ClientError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct LeftOutLine {
        left_out: Option<String>,
    }
    let spans = spans_of(line)?;
    if spans.is_empty()
        && let Some(trace) = serde_json::from_slice::<LeftOutLine>(line).map_err(invalid_response)?.left_out
    {
        return Ok(ExportItem::LeftOut(trace));
    }
    Ok(ExportItem::Spans(spans))
}

impl Client {
    /// Exports stored spans that match a query and a time range, or all.
    pub async fn export_spans(&self, request: &ExportRequest) -> Result<SpanExport, ClientError> {
        let ExportRequest { query, start, end, strict } = request;
        let mut path = format!("/api/v1/spans/export?strict={}", u8::from(*strict));
        if let Some(query) = query {
            let _ = write!(path, "&q={}", path_segment(query));
        }
        for (name, moment) in [("start", start), ("end", end)] {
            if let Some(moment) = moment {
                // Padded to the digits of nanoseconds, so that the server does not parse them as seconds.
                let _ = write!(path, "&{name}={moment:016}");
            }
        }
        let request = Request::get(&path).header(header::ACCEPT, "application/x-ndjson").body(Full::new(Bytes::new()));
        let request = request.map_err(|error| ClientError::Address { address: path, reason: error.to_string() })?;
        let response = self.with_timeout_limit(self.exchange(request)).await?;
        let (head, body) = response.into_parts();
        if !head.status.is_success() {
            let bytes = self.with_timeout_limit(read_body(body)).await?;
            return Err(response_error(head.status, &bytes));
        }
        Ok(SpanExport {
            canonical: decoded_header(&head.headers, CANONICAL),
            warnings: decoded_header(&head.headers, WARNINGS),
            body,
            buffer: BytesMut::new(),
            searched: 0,
            idle_timeout: self.idle_timeout,
        })
    }
}
