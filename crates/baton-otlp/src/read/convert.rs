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
        let given = group.resource.unwrap_or_default();
        let resource = Arc::new(SpanResource {
            attributes: attributes(given.attributes),
            dropped_attributes: given.dropped_attributes_count,
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
    let given = group.scope.unwrap_or_default();
    let scope = Arc::new(SpanScope {
        name: given.name,
        version: given.version,
        attributes: attributes(given.attributes),
        dropped_attributes: given.dropped_attributes_count,
        schema_url: group.schema_url,
    });
    arrival.spans.reserve(group.spans.len());
    for given in group.spans {
        match span(given, resource, &scope) {
            Ok(span) => arrival.spans.push(span),
            Err(why) => arrival.reject(why, 1),
        }
    }
}

fn span(given: proto::Span, resource: &Arc<SpanResource>, scope: &Arc<SpanScope>) -> Result<Span, SpanRejection> {
    if given.encoded_len() > MAX_SPAN_BYTES {
        return Err(SpanRejection::TooLarge);
    }
    let trace = <[u8; 16]>::try_from(given.trace_id).map(TraceId).map_err(|_| SpanRejection::TraceId)?;
    let id = <[u8; 8]>::try_from(given.span_id).map(SpanId).map_err(|_| SpanRejection::SpanId)?;
    let parent = match given.parent_span_id {
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
    let kind = kind(given.kind);
    let (links, lost) = links(given.links);
    let status = given.status.unwrap_or_default();
    Ok(Span {
        trace,
        id,
        parent: parent.filter(|parent| parent.is_valid()),
        trace_state: given.trace_state,
        flags: given.flags,
        name: given.name.into(),
        kind,
        start: given.start_time_unix_nano,
        end: given.end_time_unix_nano,
        attributes: attributes(given.attributes),
        events: given.events.into_iter().map(event).collect(),
        links,
        status: span_status(status.code),
        status_message: status.message,
        dropped: SpanDropCounts {
            attributes: given.dropped_attributes_count,
            events: given.dropped_events_count,
            links: given.dropped_links_count.saturating_add(lost),
        },
        resource: Arc::clone(resource),
        scope: Arc::clone(scope),
    })
}

/// Unknown kinds of later versions become `Unspecified`.
fn kind(given: i32) -> SpanKind {
    match OtlpKind::try_from(given) {
        Ok(OtlpKind::Internal) => SpanKind::Internal,
        Ok(OtlpKind::Server) => SpanKind::Server,
        Ok(OtlpKind::Client) => SpanKind::Client,
        Ok(OtlpKind::Producer) => SpanKind::Producer,
        Ok(OtlpKind::Consumer) => SpanKind::Consumer,
        Ok(OtlpKind::Unspecified) | Err(_) => SpanKind::Unspecified,
    }
}

fn span_status(given: i32) -> SpanStatus {
    match OtlpStatus::try_from(given) {
        Ok(OtlpStatus::Ok) => SpanStatus::Ok,
        Ok(OtlpStatus::Error) => SpanStatus::Error,
        Ok(OtlpStatus::Unset) | Err(_) => SpanStatus::Unset,
    }
}

fn event(given: Event) -> SpanEvent {
    SpanEvent {
        at: given.time_unix_nano,
        name: given.name.into(),
        attributes: attributes(given.attributes),
        dropped_attributes: given.dropped_attributes_count,
    }
}

/// Valid links and the number of invalid ones.
fn links(given: Vec<Link>) -> (Vec<SpanLink>, u32) {
    let mut lost = 0;
    let mut links = Vec::with_capacity(given.len());
    for link in given {
        // A link without ids is kept for its attributes.
        let (Some(trace), Some(span)) = (id(&link.trace_id), id(&link.span_id)) else {
            lost += 1;
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
    (links, lost)
}

fn id<const N: usize>(given: &[u8]) -> Option<[u8; N]> {
    if given.is_empty() { Some([0; N]) } else { given.try_into().ok() }
}

/// Deduplicates attributes by key; the last value wins.
fn attributes(given: Vec<KeyValue>) -> Attributes {
    let mut attributes = Attributes::with_capacity(given.len());
    let mut known = HashMap::new();
    for KeyValue { key, value } in given {
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
fn value(given: Option<AnyValue>) -> SpanValue {
    match given.and_then(|given| given.value) {
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
