//! Converts spans to OTLP messages.

use crate::proto::{
    self, AnyValue, ArrayValue, Event, ExportTraceServiceRequest, InstrumentationScope, KeyValue, KeyValueList, Link,
    ResourceSpans, ScopeSpans, SpanKind as OtlpKind, Status, StatusCode as OtlpStatus,
};
use baton_types::{AttributeKey, Span, SpanEvent, SpanKind, SpanLink, SpanResource, SpanScope, SpanStatus, SpanValue};
use std::{collections::HashMap, ptr, sync::Arc};

/// Export request with these spans.
pub fn export_request(spans: &[Span]) -> ExportTraceServiceRequest {
    ExportTraceServiceRequest { resource_spans: resource_spans(spans) }
}

/// Spans grouped by resource and scope, in order of first occurrence.
pub fn resource_spans(spans: &[Span]) -> Vec<ResourceSpans> {
    let mut groups: Vec<ResourceSpans> = Vec::new();
    let (mut resources, mut scopes) = (SharedValueIndex::default(), SharedValueIndex::default());
    for span in spans {
        let resource = resources.position(&span.resource, 0, groups.len());
        if resource == groups.len() {
            groups.push(ResourceSpans {
                resource: Some(self::resource(&span.resource)),
                scope_spans: Vec::new(),
                schema_url: span.resource.schema_url.clone(),
            });
        }
        let Some(group) = groups.get_mut(resource) else { continue };
        let scope = scopes.position(&span.scope, resource, group.scope_spans.len());
        if scope == group.scope_spans.len() {
            group.scope_spans.push(ScopeSpans {
                scope: Some(self::scope(&span.scope)),
                spans: Vec::new(),
                schema_url: span.scope.schema_url.clone(),
            });
        }
        if let Some(group) = group.scope_spans.get_mut(scope) {
            group.spans.push(self::span(span));
        }
    }
    groups
}

/// Group positions of shared values, by address; equal values at different addresses share a group.
struct SharedValueIndex<T> {
    by_address: HashMap<(usize, *const T), usize>,
    /// Index of the enclosing group, the value, and its position in that group.
    values: Vec<(usize, Arc<T>, usize)>,
}

impl<T> Default for SharedValueIndex<T> {
    fn default() -> Self {
        Self { by_address: HashMap::new(), values: Vec::new() }
    }
}

impl<T: PartialEq> SharedValueIndex<T> {
    /// Position of a value within a group; `next` if the value is new.
    fn position(&mut self, value: &Arc<T>, within: usize, next: usize) -> usize {
        let address = (within, ptr::from_ref(&**value));
        if let Some(index) = self.by_address.get(&address) {
            return *index;
        }
        let equal = |(group, other, _): &&(usize, Arc<T>, usize)| *group == within && **other == **value;
        let index = match self.values.iter().find(equal) {
            Some((_, _, index)) => *index,
            None => {
                self.values.push((within, Arc::clone(value), next));
                next
            }
        };
        self.by_address.insert(address, index);
        index
    }
}

/// Converts a resource.
pub(crate) fn resource(resource: &SpanResource) -> proto::Resource {
    proto::Resource {
        attributes: attributes(&resource.attributes),
        dropped_attributes_count: resource.dropped_attributes,
    }
}

/// Converts an instrumentation scope.
pub(crate) fn scope(scope: &SpanScope) -> InstrumentationScope {
    InstrumentationScope {
        name: scope.name.clone(),
        version: scope.version.clone(),
        attributes: attributes(&scope.attributes),
        dropped_attributes_count: scope.dropped_attributes,
    }
}

fn span(span: &Span) -> proto::Span {
    let kind = match span.kind {
        SpanKind::Unspecified => OtlpKind::Unspecified,
        SpanKind::Internal => OtlpKind::Internal,
        SpanKind::Server => OtlpKind::Server,
        SpanKind::Client => OtlpKind::Client,
        SpanKind::Producer => OtlpKind::Producer,
        SpanKind::Consumer => OtlpKind::Consumer,
    };
    let code = match span.status {
        SpanStatus::Unset => OtlpStatus::Unset,
        SpanStatus::Ok => OtlpStatus::Ok,
        SpanStatus::Error => OtlpStatus::Error,
    };
    proto::Span {
        trace_id: span.trace.0.to_vec(),
        span_id: span.id.0.to_vec(),
        trace_state: span.trace_state.clone(),
        parent_span_id: span.parent.map(|parent| parent.0.to_vec()).unwrap_or_default(),
        flags: span.flags,
        name: span.name.clone().into_owned(),
        kind: kind.into(),
        start_time_unix_nano: span.start,
        end_time_unix_nano: span.end,
        attributes: attributes(&span.attributes),
        dropped_attributes_count: span.dropped.attributes,
        events: span.events.iter().map(event).collect(),
        dropped_events_count: span.dropped.events,
        links: span.links.iter().map(link).collect(),
        dropped_links_count: span.dropped.links,
        status: Some(Status { message: span.status_message.clone(), code: code.into() }),
    }
}

fn event(event: &SpanEvent) -> Event {
    Event {
        time_unix_nano: event.at,
        name: event.name.clone().into_owned(),
        attributes: attributes(&event.attributes),
        dropped_attributes_count: event.dropped_attributes,
    }
}

fn link(link: &SpanLink) -> Link {
    Link {
        trace_id: link.trace.0.to_vec(),
        span_id: link.span.0.to_vec(),
        trace_state: link.trace_state.clone(),
        attributes: attributes(&link.attributes),
        dropped_attributes_count: link.dropped_attributes,
        flags: link.flags,
    }
}

/// Converts attributes.
pub fn attributes(attributes: &[(AttributeKey, SpanValue)]) -> Vec<KeyValue> {
    attributes.iter().map(|(key, value)| attribute(key, value)).collect()
}

/// Converts one attribute.
pub fn attribute(key: &str, value: &SpanValue) -> KeyValue {
    KeyValue { key: key.to_owned(), value: Some(self::value(value)) }
}

fn value(value: &SpanValue) -> AnyValue {
    let value = match value {
        SpanValue::Text(text) => proto::Value::StringValue(text.clone().into_owned()),
        SpanValue::Bool(value) => proto::Value::BoolValue(*value),
        SpanValue::Int(number) => proto::Value::IntValue(*number),
        SpanValue::Float(number) => proto::Value::DoubleValue(*number),
        SpanValue::List(list) => {
            proto::Value::ArrayValue(ArrayValue { values: list.iter().map(self::value).collect() })
        }
        SpanValue::Map(map) => proto::Value::KvlistValue(KeyValueList { values: attributes(map) }),
        SpanValue::Bytes(bytes) => proto::Value::BytesValue(bytes.clone()),
        SpanValue::Empty => return AnyValue { value: None },
    };
    AnyValue { value: Some(value) }
}
