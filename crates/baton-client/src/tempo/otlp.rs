//! Lenient OTLP JSON parsing: numbers as text or number, enums as name or number, ids in hex or base64.

use base64::{
    Engine as _,
    engine::{
        DecodePaddingMode,
        general_purpose::{GeneralPurpose, GeneralPurposeConfig},
    },
};
use baton_types::{Span, SpanKind, SpanStatus, SpanValue};
use serde::{Deserialize, Deserializer, de};
use std::fmt;

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Maximum nesting of values; deeper ones are parsed as empty.
const MAX_VALUE_DEPTH: usize = 32;

/// A non-negative integer, as text or number.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LenientInteger(pub(super) u64);

impl<'de> Deserialize<'de> for LenientInteger {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LenientIntegerVisitor;
        impl de::Visitor<'_> for LenientIntegerVisitor {
            type Value = LenientInteger;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number, as text or not")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<LenientInteger, E> {
                Ok(LenientInteger(number))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<LenientInteger, E> {
                Ok(LenientInteger(u64::try_from(number).unwrap_or(0)))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<LenientInteger, E> {
                text.parse().map(LenientInteger).map_err(|_| E::custom(format!("'{text}' is not an integer")))
            }
        }
        deserializer.deserialize_any(LenientIntegerVisitor)
    }
}

/// An attribute.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AttributeJson {
    key: String,
    value: serde_json::Value,
}

impl AttributeJson {
    pub(super) fn pair(self) -> (String, SpanValue) {
        (self.key, value(&self.value, 0))
    }
}

/// A value in OTLP's JSON.
fn value(json: &serde_json::Value, depth: usize) -> SpanValue {
    let Some((kind, inner)) = json.as_object().and_then(|object| object.iter().next()) else { return SpanValue::Empty };
    let inside = |inner: &serde_json::Value| inner.get("values").and_then(|values| values.as_array()).cloned();
    match (kind.as_str(), inner) {
        _ if depth > MAX_VALUE_DEPTH => SpanValue::Empty,
        ("stringValue", serde_json::Value::String(text)) => text.clone().into(),
        ("boolValue", serde_json::Value::Bool(flag)) => (*flag).into(),
        ("intValue", serde_json::Value::String(text)) => text.parse::<i64>().map_or(SpanValue::Empty, SpanValue::from),
        ("intValue", serde_json::Value::Number(number)) => number.as_i64().map_or(SpanValue::Empty, SpanValue::from),
        ("doubleValue", serde_json::Value::Number(number)) => number.as_f64().map_or(SpanValue::Empty, SpanValue::from),
        // NaN and infinities are text.
        ("doubleValue", serde_json::Value::String(text)) => {
            text.parse::<f64>().map_or(SpanValue::Empty, SpanValue::from)
        }
        ("bytesValue", serde_json::Value::String(text)) => {
            BASE64.decode(text).map_or(SpanValue::Empty, SpanValue::Bytes)
        }
        ("arrayValue", list) => {
            SpanValue::List(inside(list).unwrap_or_default().iter().map(|item| value(item, depth + 1)).collect())
        }
        ("kvlistValue", map) => {
            let pair = |item: &serde_json::Value| {
                let key = item.get("key")?.as_str()?.to_owned();
                Some((key.into(), value(item.get("value")?, depth + 1)))
            };
            SpanValue::Map(inside(map).unwrap_or_default().iter().filter_map(pair).collect())
        }
        _ => SpanValue::Empty,
    }
}

/// An id of `N` bytes, in hex or base64; zeros if it is neither.
pub(super) fn id<const N: usize>(text: &str) -> [u8; N] {
    let mut bytes = [0; N];
    let hex = text.len() == 2 * N && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hex {
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digits = std::str::from_utf8(digits).unwrap_or("0");
            *byte = u8::from_str_radix(digits, 16).unwrap_or(0);
        }
    } else if let Ok(read) = BASE64.decode(text)
        && read.len() == N
    {
        bytes.copy_from_slice(&read);
    }
    bytes
}

/// A span kind as name or number.
pub(super) fn kind(json: &serde_json::Value) -> SpanKind {
    match (json.as_str(), json.as_u64()) {
        (Some("SPAN_KIND_INTERNAL"), _) | (_, Some(1)) => SpanKind::Internal,
        (Some("SPAN_KIND_SERVER"), _) | (_, Some(2)) => SpanKind::Server,
        (Some("SPAN_KIND_CLIENT"), _) | (_, Some(3)) => SpanKind::Client,
        (Some("SPAN_KIND_PRODUCER"), _) | (_, Some(4)) => SpanKind::Producer,
        (Some("SPAN_KIND_CONSUMER"), _) | (_, Some(5)) => SpanKind::Consumer,
        _ => SpanKind::Unspecified,
    }
}

/// A status code as name or number.
pub(super) fn status(json: &serde_json::Value) -> SpanStatus {
    match (json.as_str(), json.as_u64()) {
        (Some("STATUS_CODE_OK"), _) | (_, Some(1)) => SpanStatus::Ok,
        (Some("STATUS_CODE_ERROR"), _) | (_, Some(2)) => SpanStatus::Error,
        _ => SpanStatus::Unset,
    }
}

/// An OTLP export request; each span has its own resource.
pub(crate) fn export_request(spans: &[Span]) -> serde_json::Value {
    let resource_spans: Vec<serde_json::Value> = spans.iter().map(resource_span).collect();
    serde_json::json!({ "resourceSpans": resource_spans })
}

fn resource_span(span: &Span) -> serde_json::Value {
    let kind = match span.kind {
        SpanKind::Unspecified => 0,
        SpanKind::Internal => 1,
        SpanKind::Server => 2,
        SpanKind::Client => 3,
        SpanKind::Producer => 4,
        SpanKind::Consumer => 5,
    };
    let code = match span.status {
        SpanStatus::Unset => 0,
        SpanStatus::Ok => 1,
        SpanStatus::Error => 2,
    };
    serde_json::json!({
        "resource": { "attributes": attributes(&span.resource.attributes) },
        "scopeSpans": [{
            "scope": { "name": span.scope.name, "version": span.scope.version },
            "spans": [{
                "traceId": span.trace.to_string(),
                "spanId": span.id.to_string(),
                "parentSpanId": span.parent.map(|parent| parent.to_string()).unwrap_or_default(),
                "name": span.name,
                "kind": kind,
                "startTimeUnixNano": span.start.to_string(),
                "endTimeUnixNano": span.end.to_string(),
                "attributes": attributes(&span.attributes),
                "status": { "code": code, "message": span.status_message },
            }],
        }],
    })
}

fn attributes(pairs: &[(baton_types::AttributeKey, SpanValue)]) -> Vec<serde_json::Value> {
    pairs.iter().map(|(key, value)| serde_json::json!({ "key": key, "value": value_json(value) })).collect()
}

fn value_json(value: &SpanValue) -> serde_json::Value {
    use serde_json::json;
    match value {
        SpanValue::Text(text) => json!({ "stringValue": text }),
        SpanValue::Bool(flag) => json!({ "boolValue": flag }),
        SpanValue::Int(number) => json!({ "intValue": number.to_string() }),
        SpanValue::Float(number) => json!({ "doubleValue": number }),
        SpanValue::List(items) => {
            json!({ "arrayValue": { "values": items.iter().map(value_json).collect::<Vec<_>>() } })
        }
        SpanValue::Map(pairs) => json!({ "kvlistValue": { "values": attributes(pairs) } }),
        SpanValue::Bytes(bytes) => json!({ "bytesValue": BASE64.encode(bytes) }),
        SpanValue::Empty => json!({}),
    }
}
