//! Search results as Tempo messages.

use baton_otlp::{
    attribute, attributes,
    tempo::{SearchMetrics, SearchResponse, ServiceStats, Span, SpanSet, TraceSearchMetadata},
};
use baton_span_ports::{SpanMatch, SpansetMatch, TraceMatch, TraceSearchResult};

const MILLISECOND: u64 = 1_000_000;

/// Search response. A partial result is marked as in Tempo: fewer completed jobs than total jobs.
pub(crate) fn search_response(answer: &TraceSearchResult) -> SearchResponse {
    let metrics = SearchMetrics {
        inspected_traces: u32::try_from(answer.inspected_traces).unwrap_or(u32::MAX),
        inspected_bytes: answer.inspected_bytes,
        completed_jobs: u32::from(!answer.partial),
        total_jobs: 1,
    };
    SearchResponse { traces: answer.traces.iter().map(trace).collect(), metrics: Some(metrics) }
}

fn trace(found: &TraceMatch) -> TraceSearchMetadata {
    let span_sets: Vec<SpanSet> = found.spansets.iter().map(span_set).collect();
    TraceSearchMetadata {
        trace_id: found.id.to_string(),
        root_service_name: found.root_service.clone(),
        root_trace_name: found.root_name.clone(),
        start_time_unix_nano: found.start,
        duration_ms: u32::try_from(found.duration / MILLISECOND).unwrap_or(u32::MAX),
        span_set: span_sets.first().cloned(),
        span_sets,
        service_stats: found
            .services
            .iter()
            .map(|(service, stats)| {
                (service.clone(), ServiceStats { span_count: stats.spans, error_count: stats.errors })
            })
            .collect(),
    }
}

fn span_set(found: &SpansetMatch) -> SpanSet {
    SpanSet {
        spans: found.spans.iter().map(span).collect(),
        matched: found.matched,
        attributes: found.attributes.iter().map(|(key, value)| attribute(key, value)).collect(),
    }
}

fn span(found: &SpanMatch) -> Span {
    Span {
        span_id: found.id.to_string(),
        name: found.name.clone().into_owned(),
        start_time_unix_nano: found.start,
        duration_nanos: found.duration,
        attributes: attributes(&found.attributes),
    }
}
