//! All spans of a trace, as Tempo says it.

use super::{Trace, TraceByIdMetrics, TraceByIdResponse};
use crate::{
    json::{Dialect, List},
    proto::ResourceSpans,
    resource_spans,
};
use baton_types::Span;
use serde::Serialize;

/// The trace.
pub fn trace(spans: &[Span]) -> Trace {
    Trace { resource_spans: resource_spans(spans) }
}

/// The trace in the envelope of the second version.
pub fn trace_by_id(spans: &[Span]) -> TraceByIdResponse {
    TraceByIdResponse { trace: Some(trace(spans)), metrics: Some(TraceByIdMetrics {}) }
}

#[derive(Serialize)]
struct Batches<'a> {
    batches: List<'a, ResourceSpans>,
}

/// JSON of the first version, which has an older name for what is inside.
pub fn write_batches(trace: &Trace) -> Vec<u8> {
    let batches = List(trace.resource_spans.as_slice(), Dialect::Tempo);
    // Text, numbers and lists cannot fail to be written.
    serde_json::to_vec(&Batches { batches }).unwrap_or_default()
}
