//! Converts traces to Tempo messages.

use super::{Trace, TraceByIdMetrics, TraceByIdResponse};
use crate::{
    json::{JsonList, OtlpJsonDialect},
    proto::ResourceSpans,
    resource_spans,
};
use baton_types::Span;
use serde::Serialize;

/// Trace with these spans.
pub fn trace(spans: &[Span]) -> Trace {
    Trace { resource_spans: resource_spans(spans) }
}

/// Trace in the envelope of API v2.
pub fn trace_by_id(spans: &[Span]) -> TraceByIdResponse {
    TraceByIdResponse { trace: Some(trace(spans)), metrics: Some(TraceByIdMetrics {}) }
}

#[derive(Serialize)]
struct Batches<'a> {
    batches: JsonList<'a, ResourceSpans>,
}

/// JSON of API v1, which names the list `batches`.
pub fn write_batches(trace: &Trace) -> Vec<u8> {
    let batches = JsonList(trace.resource_spans.as_slice(), OtlpJsonDialect::Tempo);
    // Serialization of text, numbers and lists cannot fail.
    serde_json::to_vec(&Batches { batches }).unwrap_or_default()
}
