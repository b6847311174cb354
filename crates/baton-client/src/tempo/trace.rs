//! Traces by id.

use super::otlp::{self, AttributeJson, LenientInteger};
use crate::{Client, ClientError, call::invalid_response};
use baton_types::{Attributes, Span, SpanDropCounts, SpanEvent, SpanId, SpanLink, SpanResource, SpanScope, TraceId};
use serde::Deserialize;
use std::sync::Arc;

/// A trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceReply {
    /// The original response, in Tempo's JSON.
    pub body: String,
    /// Spans in no particular order; empty if the trace does not exist.
    pub spans: Vec<Span>,
    /// Whether parts of the trace are missing.
    pub partial: bool,
}

impl Client {
    /// A trace by its id.
    pub async fn trace(&self, id: TraceId) -> Result<TraceReply, ClientError> {
        let (_, bytes) = self.tempo(&format!("/tempo/api/v2/traces/{id}")).await?;
        let body = String::from_utf8(bytes.to_vec()).map_err(invalid_response)?;
        TraceReply::read(body)
    }
}

impl TraceReply {
    /// Parses a response.
    pub fn read(body: String) -> Result<Self, ClientError> {
        let found: TraceReplyJson = serde_json::from_str(&body).map_err(invalid_response)?;
        let spans = found.trace.unwrap_or_default().into_spans();
        let partial = found.status.as_str() == Some("PARTIAL") || found.status.as_u64() == Some(1);
        Ok(Self { body, spans, partial })
    }
}

/// The spans of an object with `resourceSpans`, as written by exporters.
pub(crate) fn spans_of(json: &[u8]) -> Result<Vec<Span>, ClientError> {
    serde_json::from_slice(json).map(TraceJson::into_spans).map_err(invalid_response)
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct TraceReplyJson {
    trace: Option<TraceJson>,
    status: serde_json::Value,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct TraceJson {
    resource_spans: Vec<ResourceSpansJson>,
    batches: Vec<ResourceSpansJson>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ResourceSpansJson {
    resource: ResourceJson,
    scope_spans: Vec<ScopeSpansJson>,
    schema_url: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ResourceJson {
    attributes: Vec<AttributeJson>,
    dropped_attributes_count: u32,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ScopeSpansJson {
    scope: ScopeJson,
    spans: Vec<SpanJson>,
    schema_url: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct ScopeJson {
    name: String,
    version: String,
    attributes: Vec<AttributeJson>,
    dropped_attributes_count: u32,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SpanJson {
    trace_id: String,
    span_id: String,
    parent_span_id: String,
    trace_state: String,
    flags: u32,
    name: String,
    kind: serde_json::Value,
    start_time_unix_nano: LenientInteger,
    end_time_unix_nano: LenientInteger,
    attributes: Vec<AttributeJson>,
    dropped_attributes_count: u32,
    events: Vec<SpanEventJson>,
    dropped_events_count: u32,
    links: Vec<SpanLinkJson>,
    dropped_links_count: u32,
    status: SpanStatusJson,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct SpanStatusJson {
    code: serde_json::Value,
    message: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SpanEventJson {
    time_unix_nano: LenientInteger,
    name: String,
    attributes: Vec<AttributeJson>,
    dropped_attributes_count: u32,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct SpanLinkJson {
    trace_id: String,
    span_id: String,
    trace_state: String,
    attributes: Vec<AttributeJson>,
    dropped_attributes_count: u32,
    flags: u32,
}

impl TraceJson {
    fn into_spans(self) -> Vec<Span> {
        let mut spans = Vec::new();
        for group in self.resource_spans.into_iter().chain(self.batches) {
            group.into_spans(&mut spans);
        }
        spans
    }
}

fn attributes(pairs: Vec<AttributeJson>) -> Attributes {
    pairs
        .into_iter()
        .map(|pair| {
            let (key, value) = pair.pair();
            (key.into(), value)
        })
        .collect()
}

impl ResourceSpansJson {
    fn into_spans(self, spans: &mut Vec<Span>) {
        let resource = Arc::new(SpanResource {
            attributes: attributes(self.resource.attributes),
            dropped_attributes: self.resource.dropped_attributes_count,
            schema_url: self.schema_url,
        });
        for group in self.scope_spans {
            let scope = Arc::new(SpanScope {
                name: group.scope.name,
                version: group.scope.version,
                attributes: attributes(group.scope.attributes),
                dropped_attributes: group.scope.dropped_attributes_count,
                schema_url: group.schema_url,
            });
            spans.extend(group.spans.into_iter().map(|span| span.into_span(&resource, &scope)));
        }
    }
}

impl SpanJson {
    fn into_span(self, resource: &Arc<SpanResource>, scope: &Arc<SpanScope>) -> Span {
        let parent = SpanId(otlp::id(&self.parent_span_id));
        Span {
            trace: TraceId(otlp::id(&self.trace_id)),
            id: SpanId(otlp::id(&self.span_id)),
            parent: parent.is_valid().then_some(parent),
            trace_state: self.trace_state,
            flags: self.flags,
            name: self.name.into(),
            kind: otlp::kind(&self.kind),
            start: self.start_time_unix_nano.0,
            end: self.end_time_unix_nano.0,
            attributes: attributes(self.attributes),
            events: self.events.into_iter().map(SpanEvent::from).collect(),
            links: self.links.into_iter().map(SpanLink::from).collect(),
            status: otlp::status(&self.status.code),
            status_message: self.status.message,
            dropped: SpanDropCounts {
                attributes: self.dropped_attributes_count,
                events: self.dropped_events_count,
                links: self.dropped_links_count,
            },
            resource: Arc::clone(resource),
            scope: Arc::clone(scope),
        }
    }
}

impl From<SpanEventJson> for SpanEvent {
    fn from(found: SpanEventJson) -> Self {
        Self {
            at: found.time_unix_nano.0,
            name: found.name.into(),
            attributes: attributes(found.attributes),
            dropped_attributes: found.dropped_attributes_count,
        }
    }
}

impl From<SpanLinkJson> for SpanLink {
    fn from(found: SpanLinkJson) -> Self {
        Self {
            trace: TraceId(otlp::id(&found.trace_id)),
            span: SpanId(otlp::id(&found.span_id)),
            trace_state: found.trace_state,
            attributes: attributes(found.attributes),
            dropped_attributes: found.dropped_attributes_count,
            flags: found.flags,
        }
    }
}
