//! Decodes a trace from protobuf, because its JSON form has too many dialects.

use crate::failure::TempoError;
use baton_otlp::{Encoding, Export};
use baton_types::Span;
use prost::Message;
use std::collections::HashMap;

/// Envelope of API v2; the trace stays encoded until its size is checked.
#[derive(Clone, PartialEq, Eq, Message)]
struct TraceEnvelope {
    #[prost(bytes = "vec", tag = "1")]
    trace: Vec<u8>,
    #[prost(int32, tag = "3")]
    status: i32,
}

/// Trace decoded from its envelope.
pub(crate) struct DecodedTrace {
    pub(crate) spans: Vec<Span>,
    /// Whether the Tempo reports the trace as partial.
    pub(crate) partial: bool,
}

/// Decodes a response of API v2.
pub(crate) fn trace_v2(body: &[u8]) -> Result<DecodedTrace, TempoError> {
    let envelope = TraceEnvelope::decode(body).map_err(|error| TempoError::Malformed(error.to_string()))?;
    Ok(DecodedTrace { spans: trace_v1(&envelope.trace)?, partial: envelope.status != 0 })
}

/// Decodes a response of API v1, which has the form of an export request. Spans are deduplicated and sorted by start
/// time.
pub(crate) fn trace_v1(body: &[u8]) -> Result<Vec<Span>, TempoError> {
    let read = Export::measure(Encoding::Protobuf, body).and_then(|export| export.decode());
    let arrival = read.map_err(|error| TempoError::Malformed(error.to_string()))?;
    Ok(deduplicate_spans(arrival.spans))
}

/// Deduplicates spans by id and sorts them by start time; of duplicates, the one with the latest end is kept.
pub(crate) fn deduplicate_spans(spans: impl IntoIterator<Item = Span>) -> Vec<Span> {
    let mut known: HashMap<_, Span> = HashMap::new();
    for span in spans {
        let longer = known.get(&span.id).is_none_or(|existing| span.end > existing.end);
        if longer {
            known.insert(span.id, span);
        }
    }
    let mut spans: Vec<Span> = known.into_values().collect();
    spans.sort_by_key(|span| (span.start, span.id));
    spans
}
