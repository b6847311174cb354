//! Result of decoding an export request.

use crate::{
    Encoding, MAX_SPAN_BYTES,
    proto::{ExportTracePartialSuccess, ExportTraceServiceResponse},
};
use baton_types::Span;
use prost::Message as _;
use serde_json::json;
use std::fmt;

/// Decoded spans of a request and counts of rejected spans.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecodedExport {
    /// Valid spans.
    pub spans: Vec<Span>,
    /// Number of rejected spans by reason.
    pub rejected: Vec<(SpanRejection, u64)>,
}

/// Reason for rejecting a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SpanRejection {
    /// The trace id is invalid.
    TraceId,
    /// The span id is invalid.
    SpanId,
    /// The parent span id is invalid.
    ParentId,
    /// The span, its resource or its scope is too large.
    TooLarge,
}

impl fmt::Display for SpanRejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TraceId => f.write_str("the trace id is not 16 bytes (32 hex digits) or only zeros"),
            Self::SpanId => f.write_str("the span id is not 8 bytes (16 hex digits) or only zeros"),
            Self::ParentId => f.write_str("the parent span id is not 8 bytes (16 hex digits)"),
            Self::TooLarge => write!(f, "the span or its resource is larger than {MAX_SPAN_BYTES} bytes"),
        }
    }
}

impl DecodedExport {
    /// Counts rejected spans.
    pub(crate) fn reject(&mut self, reason: SpanRejection, spans: u64) {
        if spans == 0 {
            return;
        }
        match self.rejected.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, count)) => *count += spans,
            None => self.rejected.push((reason, spans)),
        }
    }

    /// Response to the exporter; empty if no spans were rejected.
    pub fn response(&self) -> ExportTraceServiceResponse {
        let rejected: u64 = self.rejected.iter().map(|(_, count)| count).sum();
        let reasons: Vec<String> = self.rejected.iter().map(|(reason, count)| format!("{reason} ({count})")).collect();
        let partial_success = (rejected > 0).then(|| ExportTracePartialSuccess {
            rejected_spans: i64::try_from(rejected).unwrap_or(i64::MAX),
            error_message: format!("rejected {rejected} of the spans: {}", reasons.join("; ")),
        });
        ExportTraceServiceResponse { partial_success }
    }

    /// [`DecodedExport::response`] as a response body.
    pub fn write_response(&self, encoding: Encoding) -> Vec<u8> {
        let response = self.response();
        match (encoding, &response.partial_success) {
            (Encoding::Protobuf, _) => response.encode_to_vec(),
            (Encoding::Json, None) => b"{}".to_vec(),
            (Encoding::Json, Some(partial)) => {
                let (rejected, message) = (partial.rejected_spans.to_string(), &partial.error_message);
                json!({ "partialSuccess": { "rejectedSpans": rejected, "errorMessage": message } })
                    .to_string()
                    .into_bytes()
            }
        }
    }
}
