//! A span as one flat object.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use baton_api::SpanEntry;
use baton_types::{Span, SpanKind, SpanStatus, SpanValue};
use serde_json::{Map, Value as Tree};

/// Converts a span to its API form.
pub(super) fn entry(span: &Span) -> SpanEntry {
    SpanEntry {
        trace_id: span.trace.to_string(),
        span_id: span.id.to_string(),
        parent_id: span.parent.map(|parent| parent.to_string()),
        name: span.name.clone().into_owned(),
        kind: kind(span.kind).to_owned(),
        status: status(span.status).to_owned(),
        status_message: span.status_message.clone(),
        start: moment(span.start),
        duration_ms: span.duration() as f64 / 1e6,
        service: span.service().map(str::to_owned),
        attributes: members(&span.attributes),
    }
}

/// A timestamp with full precision.
pub(super) fn moment(nanos: u64) -> String {
    jiff::Timestamp::from_nanosecond(nanos.into()).map_or_else(|_| nanos.to_string(), |at| at.to_string())
}

fn kind(kind: SpanKind) -> &'static str {
    match kind {
        SpanKind::Unspecified => "unspecified",
        SpanKind::Internal => "internal",
        SpanKind::Server => "server",
        SpanKind::Client => "client",
        SpanKind::Producer => "producer",
        SpanKind::Consumer => "consumer",
    }
}

fn status(status: SpanStatus) -> &'static str {
    match status {
        SpanStatus::Unset => "unset",
        SpanStatus::Ok => "ok",
        SpanStatus::Error => "error",
    }
}

fn members(attributes: &[(baton_types::AttributeKey, SpanValue)]) -> Map<String, Tree> {
    attributes.iter().map(|(key, value)| (key.clone().into_owned(), tree(value))).collect()
}

/// Non-finite numbers become strings, because JSON cannot represent them.
fn tree(value: &SpanValue) -> Tree {
    match value {
        SpanValue::Text(text) => Tree::String(text.clone().into_owned()),
        SpanValue::Bool(value) => Tree::Bool(*value),
        SpanValue::Int(number) => Tree::from(*number),
        SpanValue::Float(number) if number.is_finite() => Tree::from(*number),
        SpanValue::Float(number) => Tree::String(number.to_string()),
        SpanValue::List(list) => list.iter().map(tree).collect(),
        SpanValue::Map(map) => Tree::Object(members(map)),
        SpanValue::Bytes(bytes) => Tree::String(BASE64_STANDARD.encode(bytes)),
        SpanValue::Empty => Tree::Null,
    }
}
