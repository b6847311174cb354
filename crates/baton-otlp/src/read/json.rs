//! Decodes OTLP JSON: ids in hex, numbers as numbers or text, enums as numbers or names; unknown members are ignored.
//!
//! Every member may be missing or null, and may use its schema name instead of its JSON name.

use super::{
    ReadError,
    object::{Object, member},
    scalar::{Base64, Double, HexId, JsonInteger, KindNumber, StatusNumber},
};
use crate::proto::{self, ExportTraceServiceRequest};
use serde::Deserialize;

/// Decodes a request.
pub(super) fn decode_request(body: &[u8]) -> Result<ExportTraceServiceRequest, ReadError> {
    let Object::<JsonTraceRequest>(request) =
        serde_json::from_slice(body).map_err(|error| ReadError::Malformed(error.to_string()))?;
    Ok(ExportTraceServiceRequest { resource_spans: convert_all(request.resource_spans) })
}

fn convert_all<T, U: From<T>>(items: Vec<Object<T>>) -> Vec<U> {
    items.into_iter().map(|Object(item)| U::from(item)).collect()
}

#[derive(Deserialize)]
struct JsonTraceRequest {
    #[serde(default, rename = "resourceSpans", alias = "resource_spans", deserialize_with = "member")]
    resource_spans: Vec<Object<JsonResourceSpans>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct JsonResourceSpans {
    #[serde(deserialize_with = "member")]
    resource: Object<JsonResource>,
    #[serde(alias = "scope_spans", deserialize_with = "member")]
    scope_spans: Vec<Object<JsonScopeSpans>>,
    #[serde(alias = "schema_url", deserialize_with = "member")]
    schema_url: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct JsonResource {
    #[serde(deserialize_with = "member")]
    attributes: Vec<Object<JsonKeyValue>>,
    #[serde(alias = "dropped_attributes_count", deserialize_with = "member")]
    dropped_attributes_count: JsonInteger<u32>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct JsonScopeSpans {
    #[serde(deserialize_with = "member")]
    scope: Object<JsonScope>,
    #[serde(deserialize_with = "member")]
    spans: Vec<Object<JsonSpan>>,
    #[serde(alias = "schema_url", deserialize_with = "member")]
    schema_url: String,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct JsonScope {
    #[serde(deserialize_with = "member")]
    name: String,
    #[serde(deserialize_with = "member")]
    version: String,
    #[serde(deserialize_with = "member")]
    attributes: Vec<Object<JsonKeyValue>>,
    #[serde(alias = "dropped_attributes_count", deserialize_with = "member")]
    dropped_attributes_count: JsonInteger<u32>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct JsonSpan {
    #[serde(alias = "trace_id", deserialize_with = "member")]
    trace_id: HexId,
    #[serde(alias = "span_id", deserialize_with = "member")]
    span_id: HexId,
    #[serde(alias = "trace_state", deserialize_with = "member")]
    trace_state: String,
    #[serde(alias = "parent_span_id", deserialize_with = "member")]
    parent_span_id: HexId,
    #[serde(deserialize_with = "member")]
    flags: JsonInteger<u32>,
    #[serde(deserialize_with = "member")]
    name: String,
    #[serde(deserialize_with = "member")]
    kind: KindNumber,
    #[serde(alias = "start_time_unix_nano", deserialize_with = "member")]
    start_time_unix_nano: JsonInteger<u64>,
    #[serde(alias = "end_time_unix_nano", deserialize_with = "member")]
    end_time_unix_nano: JsonInteger<u64>,
    #[serde(deserialize_with = "member")]
    attributes: Vec<Object<JsonKeyValue>>,
    #[serde(alias = "dropped_attributes_count", deserialize_with = "member")]
    dropped_attributes_count: JsonInteger<u32>,
    #[serde(deserialize_with = "member")]
    events: Vec<Object<JsonSpanEvent>>,
    #[serde(alias = "dropped_events_count", deserialize_with = "member")]
    dropped_events_count: JsonInteger<u32>,
    #[serde(deserialize_with = "member")]
    links: Vec<Object<JsonSpanLink>>,
    #[serde(alias = "dropped_links_count", deserialize_with = "member")]
    dropped_links_count: JsonInteger<u32>,
    #[serde(deserialize_with = "member")]
    status: Object<JsonSpanStatus>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct JsonSpanEvent {
    #[serde(alias = "time_unix_nano", deserialize_with = "member")]
    time_unix_nano: JsonInteger<u64>,
    #[serde(deserialize_with = "member")]
    name: String,
    #[serde(deserialize_with = "member")]
    attributes: Vec<Object<JsonKeyValue>>,
    #[serde(alias = "dropped_attributes_count", deserialize_with = "member")]
    dropped_attributes_count: JsonInteger<u32>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct JsonSpanLink {
    #[serde(alias = "trace_id", deserialize_with = "member")]
    trace_id: HexId,
    #[serde(alias = "span_id", deserialize_with = "member")]
    span_id: HexId,
    #[serde(alias = "trace_state", deserialize_with = "member")]
    trace_state: String,
    #[serde(deserialize_with = "member")]
    attributes: Vec<Object<JsonKeyValue>>,
    #[serde(alias = "dropped_attributes_count", deserialize_with = "member")]
    dropped_attributes_count: JsonInteger<u32>,
    #[serde(deserialize_with = "member")]
    flags: JsonInteger<u32>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct JsonSpanStatus {
    #[serde(deserialize_with = "member")]
    message: String,
    #[serde(deserialize_with = "member")]
    code: StatusNumber,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct JsonKeyValue {
    #[serde(deserialize_with = "member")]
    key: String,
    #[serde(deserialize_with = "member")]
    value: Object<JsonAnyValue>,
}

/// At most one member is present; of several, the first in this order wins.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct JsonAnyValue {
    #[serde(alias = "string_value")]
    string_value: Option<String>,
    #[serde(alias = "bool_value")]
    bool_value: Option<bool>,
    #[serde(alias = "int_value")]
    int_value: Option<JsonInteger<i64>>,
    #[serde(alias = "double_value")]
    double_value: Option<Double>,
    #[serde(alias = "array_value")]
    array_value: Option<Object<JsonArrayValue>>,
    #[serde(alias = "kvlist_value")]
    kvlist_value: Option<Object<JsonKeyValueList>>,
    #[serde(alias = "bytes_value")]
    bytes_value: Option<Base64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct JsonArrayValue {
    #[serde(deserialize_with = "member")]
    values: Vec<Object<JsonAnyValue>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct JsonKeyValueList {
    #[serde(deserialize_with = "member")]
    values: Vec<Object<JsonKeyValue>>,
}

impl From<JsonResourceSpans> for proto::ResourceSpans {
    fn from(read: JsonResourceSpans) -> Self {
        let Object(resource) = read.resource;
        let resource = proto::Resource {
            attributes: convert_all(resource.attributes),
            dropped_attributes_count: resource.dropped_attributes_count.0,
        };
        Self { resource: Some(resource), scope_spans: convert_all(read.scope_spans), schema_url: read.schema_url }
    }
}

impl From<JsonScopeSpans> for proto::ScopeSpans {
    fn from(read: JsonScopeSpans) -> Self {
        let Object(scope) = read.scope;
        let scope = proto::InstrumentationScope {
            name: scope.name,
            version: scope.version,
            attributes: convert_all(scope.attributes),
            dropped_attributes_count: scope.dropped_attributes_count.0,
        };
        Self { scope: Some(scope), spans: convert_all(read.spans), schema_url: read.schema_url }
    }
}

impl From<JsonSpan> for proto::Span {
    fn from(read: JsonSpan) -> Self {
        let Object(status) = read.status;
        Self {
            trace_id: read.trace_id.0,
            span_id: read.span_id.0,
            trace_state: read.trace_state,
            parent_span_id: read.parent_span_id.0,
            flags: read.flags.0,
            name: read.name,
            kind: read.kind.0,
            start_time_unix_nano: read.start_time_unix_nano.0,
            end_time_unix_nano: read.end_time_unix_nano.0,
            attributes: convert_all(read.attributes),
            dropped_attributes_count: read.dropped_attributes_count.0,
            events: convert_all(read.events),
            dropped_events_count: read.dropped_events_count.0,
            links: convert_all(read.links),
            dropped_links_count: read.dropped_links_count.0,
            status: Some(proto::Status { message: status.message, code: status.code.0 }),
        }
    }
}

impl From<JsonSpanEvent> for proto::Event {
    fn from(read: JsonSpanEvent) -> Self {
        Self {
            time_unix_nano: read.time_unix_nano.0,
            name: read.name,
            attributes: convert_all(read.attributes),
            dropped_attributes_count: read.dropped_attributes_count.0,
        }
    }
}

impl From<JsonSpanLink> for proto::Link {
    fn from(read: JsonSpanLink) -> Self {
        Self {
            trace_id: read.trace_id.0,
            span_id: read.span_id.0,
            trace_state: read.trace_state,
            attributes: convert_all(read.attributes),
            dropped_attributes_count: read.dropped_attributes_count.0,
            flags: read.flags.0,
        }
    }
}

impl From<JsonKeyValue> for proto::KeyValue {
    fn from(read: JsonKeyValue) -> Self {
        Self { key: read.key, value: Some(read.value.0.into()) }
    }
}

impl From<JsonAnyValue> for proto::AnyValue {
    fn from(read: JsonAnyValue) -> Self {
        let text = read.string_value.map(proto::Value::StringValue);
        let value = text
            .or_else(|| read.bool_value.map(proto::Value::BoolValue))
            .or_else(|| read.int_value.map(|number| proto::Value::IntValue(number.0)))
            .or_else(|| read.double_value.map(|number| proto::Value::DoubleValue(number.0)))
            .or_else(|| {
                let list =
                    |Object(list): Object<JsonArrayValue>| proto::ArrayValue { values: convert_all(list.values) };
                read.array_value.map(|array| proto::Value::ArrayValue(list(array)))
            })
            .or_else(|| {
                let map =
                    |Object(map): Object<JsonKeyValueList>| proto::KeyValueList { values: convert_all(map.values) };
                read.kvlist_value.map(|values| proto::Value::KvlistValue(map(values)))
            })
            .or_else(|| read.bytes_value.map(|bytes| proto::Value::BytesValue(bytes.0)));
        Self { value }
    }
}
