//! Converts OTLP messages to spans.

use crate::{
    DecodedExport, SpanRejection,
    proto::{
        self, AnyValue, Event, ExportTraceServiceRequest, KeyValue, Link, ScopeSpans, SpanKind as OtlpKind,
        StatusCode as OtlpStatus,
    },
};
use baton_types::{
    AttributeKey, Attributes, Span, SpanDropCounts, SpanEvent, SpanId, SpanKind, SpanLink, SpanResource, SpanScope,
    SpanStatus, SpanValue, TraceId,
};
use prost::Message as _;
use std::{collections::HashMap, sync::Arc};

/// Maximum encoded size of a span; also the limit for its resource and its scope.
pub const MAX_SPAN_BYTES: usize = 1024 * 1024;

/// Up to this many attributes, duplicates are found by linear search; beyond, by a hash map.
const MAX_LINEAR_SEARCH: usize = 24;

/// Converts a request to spans; invalid spans are counted.
pub(super) fn convert_request(request: ExportTraceServiceRequest) -> DecodedExport {
    let mut arrival = DecodedExport::default();
    for group in request.resource_spans {
        let large = group.resource.as_ref().is_some_and(|resource| resource.encoded_len() > MAX_SPAN_BYTES);
        if large || group.schema_url.len() > MAX_SPAN_BYTES {
            let spans = group.scope_spans.iter().map(|scope| scope.spans.len() as u64).sum();
            arrival.reject(SpanRejection::TooLarge, spans);
            continue;
        }
        let raw = group.resource.unwrap_or_default();
        let resource = Arc::new(SpanResource {
            attributes: attributes(raw.attributes),
            dropped_attributes: raw.dropped_attributes_count,
            schema_url: group.schema_url,
        });
        for scope in group.scope_spans {
            convert_scope(&mut arrival, &resource, scope);
        }
    }
    arrival
}

fn convert_scope(arrival: &mut DecodedExport, resource: &Arc<SpanResource>, group: ScopeSpans) {
    let large = group.scope.as_ref().is_some_and(|scope| scope.encoded_len() > MAX_SPAN_BYTES);
    if large || group.schema_url.len() > MAX_SPAN_BYTES {
        arrival.reject(SpanRejection::TooLarge, group.spans.len() as u64);
        return;
    }
    let raw = group.scope.unwrap_or_default();
    let scope = Arc::new(SpanScope {
        name: raw.name,
        version: raw.version,
        attributes: attributes(raw.attributes),
        dropped_attributes: raw.dropped_attributes_count,
        schema_url: group.schema_url,
    });
    arrival.spans.reserve(group.spans.len());
    for raw in group.spans {
        match span(raw, resource, &scope) {
            Ok(span) => arrival.spans.push(span),
            Err(reason) => arrival.reject(reason, 1),
        }
    }
}

fn span(raw: proto::Span, resource: &Arc<SpanResource>, scope: &Arc<SpanScope>) -> Result<Span, SpanRejection> {
    if raw.encoded_len() > MAX_SPAN_BYTES {
        return Err(SpanRejection::TooLarge);
    }
    let trace = <[u8; 16]>::try_from(raw.trace_id).map(TraceId).map_err(|_| SpanRejection::TraceId)?;
    let id = <[u8; 8]>::try_from(raw.span_id).map(SpanId).map_err(|_| SpanRejection::SpanId)?;
    let parent = match raw.parent_span_id {
        none if none.is_empty() => None,
        // Some exporters send zeros for a span without a parent.
        some => Some(<[u8; 8]>::try_from(some).map(SpanId).map_err(|_| SpanRejection::ParentId)?),
    };
    if !trace.is_valid() {
        return Err(SpanRejection::TraceId);
    }
    if !id.is_valid() {
        return Err(SpanRejection::SpanId);
    }
    let kind = kind(raw.kind);
    let (links, dropped) = links(raw.links);
    let status = raw.status.unwrap_or_default();
    Ok(Span {
        trace,
        id,
        parent: parent.filter(|parent| parent.is_valid()),
        trace_state: raw.trace_state,
        flags: raw.flags,
        name: raw.name.into(),
        kind,
        start: raw.start_time_unix_nano,
        end: raw.end_time_unix_nano,
        attributes: attributes(raw.attributes),
        events: raw.events.into_iter().map(event).collect(),
        links,
        status: span_status(status.code),
        status_message: status.message,
        dropped: SpanDropCounts {
            attributes: raw.dropped_attributes_count,
            events: raw.dropped_events_count,
            links: raw.dropped_links_count.saturating_add(dropped),
        },
        resource: Arc::clone(resource),
        scope: Arc::clone(scope),
    })
}

/// Unknown kinds of later versions become `Unspecified`.
fn kind(raw: i32) -> SpanKind {
    match OtlpKind::try_from(raw) {
        Ok(OtlpKind::Internal) => SpanKind::Internal,
        Ok(OtlpKind::Server) => SpanKind::Server,
        Ok(OtlpKind::Client) => SpanKind::Client,
        Ok(OtlpKind::Producer) => SpanKind::Producer,
        Ok(OtlpKind::Consumer) => SpanKind::Consumer,
        Ok(OtlpKind::Unspecified) | Err(_) => SpanKind::Unspecified,
    }
}

fn span_status(raw: i32) -> SpanStatus {
    match OtlpStatus::try_from(raw) {
        Ok(OtlpStatus::Ok) => SpanStatus::Ok,
        Ok(OtlpStatus::Error) => SpanStatus::Error,
        Ok(OtlpStatus::Unset) | Err(_) => SpanStatus::Unset,
    }
}

fn event(raw: Event) -> SpanEvent {
    SpanEvent {
        at: raw.time_unix_nano,
        name: raw.name.into(),
        attributes: attributes(raw.attributes),
        dropped_attributes: raw.dropped_attributes_count,
    }
}

/// Valid links and the number of invalid ones.
fn links(raw: Vec<Link>) -> (Vec<SpanLink>, u32) {
    let mut dropped = 0;
    let mut links = Vec::with_capacity(raw.len());
    for link in raw {
        // A link without ids is kept for its attributes.
        let (Some(trace), Some(span)) = (id(&link.trace_id), id(&link.span_id)) else {
            dropped += 1;
            continue;
        };
        links.push(SpanLink {
            trace: TraceId(trace),
            span: SpanId(span),
            trace_state: link.trace_state,
            attributes: attributes(link.attributes),
            dropped_attributes: link.dropped_attributes_count,
            flags: link.flags,
        });
    }
    (links, dropped)
}

fn id<const N: usize>(raw: &[u8]) -> Option<[u8; N]> {
    if raw.is_empty() { Some([0; N]) } else { raw.try_into().ok() }
}

/// Deduplicates attributes by key; the last value wins.
fn attributes(raw: Vec<KeyValue>) -> Attributes {
    let mut attributes = Attributes::with_capacity(raw.len());
    let mut known = HashMap::new();
    for KeyValue { key, value } in raw {
        let value = self::value(value);
        let key = AttributeKey::from(key);
        let same = if attributes.len() < MAX_LINEAR_SEARCH {
            attributes.iter().position(|(other, _)| *other == key)
        } else {
            if known.is_empty() {
                known.extend(attributes.iter().enumerate().map(|(at, (key, _))| (key.clone(), at)));
            }
            let next = attributes.len();
            let at = *known.entry(key.clone()).or_insert(next);
            (at < next).then_some(at)
        };
        match same.and_then(|at| attributes.get_mut(at)) {
            Some((_, old)) => *old = value,
            None => attributes.push((key, value)),
        }
    }
    attributes
}

/// The nesting depth is already bounded by the decoder.
fn value(raw: Option<AnyValue>) -> SpanValue {
    match raw.and_then(|raw| raw.value) {
        Some(proto::Value::StringValue(text)) => text.into(),
        Some(proto::Value::BoolValue(value)) => SpanValue::Bool(value),
        Some(proto::Value::IntValue(number)) => SpanValue::Int(number),
        Some(proto::Value::DoubleValue(number)) => SpanValue::Float(number),
        Some(proto::Value::ArrayValue(list)) => {
            SpanValue::List(list.values.into_iter().map(|value| self::value(Some(value))).collect())
        }
        Some(proto::Value::KvlistValue(map)) => SpanValue::Map(attributes(map.values)),
        Some(proto::Value::BytesValue(bytes)) => SpanValue::Bytes(bytes),
        None => SpanValue::Empty,
    }
}
