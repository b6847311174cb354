//! Text form of values: plain for scalars, JSON for structures.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use baton_types::{AttributeKey, Span, SpanEvent, SpanKind, SpanLink, SpanStatus, SpanValue};
use bytes::Bytes;
use serde_json::{Map, Value as Tree, json};

/// A key as bytes, without a copy for constants.
pub(crate) fn key(key: &AttributeKey) -> Bytes {
    match key {
        AttributeKey::Borrowed(text) => Bytes::from_static(text.as_bytes()),
        AttributeKey::Owned(text) => Bytes::copy_from_slice(text.as_bytes()),
    }
}

/// A value as text: text unchanged, numbers as digits, lists and maps as JSON, bytes as base64; none if empty.
pub(crate) fn text(value: &SpanValue) -> Option<Bytes> {
    let owned = |text: String| Some(Bytes::from(text));
    match value {
        SpanValue::Text(text) => Some(key(text)),
        SpanValue::Bool(true) => Some(Bytes::from_static(b"true")),
        SpanValue::Bool(false) => Some(Bytes::from_static(b"false")),
        SpanValue::Int(number) => owned(number.to_string()),
        // `Debug` keeps the decimal point, which distinguishes floats from integers.
        SpanValue::Float(number) => owned(format!("{number:?}")),
        SpanValue::List(_) | SpanValue::Map(_) => owned(tree(value).to_string()),
        SpanValue::Bytes(bytes) => owned(BASE64_STANDARD.encode(bytes)),
        SpanValue::Empty => None,
    }
}

/// TraceQL keyword of a span kind.
pub(crate) fn kind(kind: SpanKind) -> &'static str {
    match kind {
        SpanKind::Unspecified => "unspecified",
        SpanKind::Internal => "internal",
        SpanKind::Server => "server",
        SpanKind::Client => "client",
        SpanKind::Producer => "producer",
        SpanKind::Consumer => "consumer",
    }
}

/// TraceQL keyword of a span status.
pub(crate) fn status(status: SpanStatus) -> &'static str {
    match status {
        SpanStatus::Unset => "unset",
        SpanStatus::Ok => "ok",
        SpanStatus::Error => "error",
    }
}

/// Events of a span as JSON; none if empty.
pub(crate) fn events(span: &Span) -> Option<Bytes> {
    let event = |event: &SpanEvent| json!({ "name": event.name, "time_unix_nano": event.at, "attributes": members(&event.attributes) });
    list(span.events.iter().map(event).collect())
}

/// Links of a span as JSON; none if empty.
pub(crate) fn links(span: &Span) -> Option<Bytes> {
    let link = |link: &SpanLink| {
        json!({
            "trace_id": link.trace.to_string(), "span_id": link.span.to_string(), "trace_state": link.trace_state,
            "attributes": members(&link.attributes),
        })
    };
    list(span.links.iter().map(link).collect())
}

fn list(items: Vec<Tree>) -> Option<Bytes> {
    (!items.is_empty()).then(|| Bytes::from(Tree::Array(items).to_string()))
}

fn members(attributes: &[(AttributeKey, SpanValue)]) -> Tree {
    Tree::Object(attributes.iter().map(|(key, value)| (key.to_string(), tree(value))).collect::<Map<_, _>>())
}

/// Non-finite numbers become strings, because JSON cannot represent them.
fn tree(value: &SpanValue) -> Tree {
    match value {
        SpanValue::Text(text) => Tree::from(text.as_ref()),
        SpanValue::Bool(value) => Tree::from(*value),
        SpanValue::Int(number) => Tree::from(*number),
        SpanValue::Float(number) if number.is_finite() => Tree::from(*number),
        SpanValue::Float(number) => Tree::from(number.to_string()),
        SpanValue::List(items) => items.iter().map(tree).collect(),
        SpanValue::Map(pairs) => members(pairs),
        SpanValue::Bytes(bytes) => Tree::from(BASE64_STANDARD.encode(bytes)),
        SpanValue::Empty => Tree::Null,
    }
}
