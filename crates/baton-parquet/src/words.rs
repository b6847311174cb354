//! Values as text: plain where they are text, JSON where they are more.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use baton_types::{Key, Span, SpanEvent, SpanKind, SpanLink, SpanStatus, Value};
use bytes::Bytes;
use serde_json::{Map, Value as Tree, json};

/// A key as bytes; a constant is not copied.
pub(crate) fn key(key: &Key) -> Bytes {
    match key {
        Key::Borrowed(text) => Bytes::from_static(text.as_bytes()),
        Key::Owned(text) => Bytes::copy_from_slice(text.as_bytes()),
    }
}

/// A value as text: text as it is, numbers as digits, lists and maps as JSON, bytes as base64; nothing is nothing.
pub(crate) fn text(value: &Value) -> Option<Bytes> {
    let owned = |text: String| Some(Bytes::from(text));
    match value {
        Value::Text(text) => Some(key(text)),
        Value::Bool(true) => Some(Bytes::from_static(b"true")),
        Value::Bool(false) => Some(Bytes::from_static(b"false")),
        Value::Int(number) => owned(number.to_string()),
        // With a point, so that it is still seen to be no whole number.
        Value::Float(number) => owned(format!("{number:?}")),
        Value::List(_) | Value::Map(_) => owned(tree(value).to_string()),
        Value::Bytes(bytes) => owned(BASE64_STANDARD.encode(bytes)),
        Value::Empty => None,
    }
}

/// The word of TraceQL for a kind.
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

/// The word of TraceQL for a status.
pub(crate) fn status(status: SpanStatus) -> &'static str {
    match status {
        SpanStatus::Unset => "unset",
        SpanStatus::Ok => "ok",
        SpanStatus::Error => "error",
    }
}

/// The events of a span as JSON; nothing when it has none.
pub(crate) fn events(span: &Span) -> Option<Bytes> {
    let event = |event: &SpanEvent| json!({ "name": event.name, "time_unix_nano": event.at, "attributes": members(&event.attributes) });
    list(span.events.iter().map(event).collect())
}

/// The links of a span as JSON; nothing when it has none.
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

fn members(attributes: &[(Key, Value)]) -> Tree {
    Tree::Object(attributes.iter().map(|(key, value)| (key.to_string(), tree(value))).collect::<Map<_, _>>())
}

/// Numbers that JSON has no digits for are words.
fn tree(value: &Value) -> Tree {
    match value {
        Value::Text(text) => Tree::from(text.as_ref()),
        Value::Bool(value) => Tree::from(*value),
        Value::Int(number) => Tree::from(*number),
        Value::Float(number) if number.is_finite() => Tree::from(*number),
        Value::Float(number) => Tree::from(number.to_string()),
        Value::List(items) => items.iter().map(tree).collect(),
        Value::Map(pairs) => members(pairs),
        Value::Bytes(bytes) => Tree::from(BASE64_STANDARD.encode(bytes)),
        Value::Empty => Tree::Null,
    }
}
