//! Tempo messages with its published field numbers; JSON omits zero values, but not empty lists.

use crate::{
    json::{JsonList, OtlpJsonDialect},
    proto::{KeyValue, ResourceSpans},
};
use prost::Message;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Search response.
#[derive(Clone, PartialEq, Message, Serialize)]
pub struct SearchResponse {
    /// Matching traces, newest first.
    #[prost(message, repeated, tag = "1")]
    pub traces: Vec<TraceSearchMetadata>,
    /// Query statistics.
    #[prost(message, optional, tag = "2")]
    pub metrics: Option<SearchMetrics>,
}

/// A matching trace.
#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceSearchMetadata {
    /// Trace id in hex.
    #[prost(string, tag = "1")]
    #[serde(rename = "traceID")]
    pub trace_id: String,
    /// Service of the root span.
    #[prost(string, tag = "2")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub root_service_name: String,
    /// Name of the root span.
    #[prost(string, tag = "3")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub root_trace_name: String,
    /// Start time.
    #[prost(uint64, tag = "4")]
    #[serde(serialize_with = "as_text")]
    pub start_time_unix_nano: u64,
    /// Duration in milliseconds.
    #[prost(uint32, tag = "5")]
    #[serde(skip_serializing_if = "is_zero")]
    pub duration_ms: u32,
    /// First spanset, for older clients.
    #[prost(message, optional, tag = "6")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span_set: Option<SpanSet>,
    /// Matching spansets.
    #[prost(message, repeated, tag = "7")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub span_sets: Vec<SpanSet>,
    /// Statistics by service name.
    #[prost(btree_map = "string, message", tag = "8")]
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub service_stats: BTreeMap<String, ServiceStats>,
}

/// Statistics of one service in a trace.
#[derive(Clone, Copy, PartialEq, Eq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceStats {
    /// Number of spans.
    #[prost(uint32, tag = "1")]
    #[serde(skip_serializing_if = "is_zero")]
    pub span_count: u32,
    /// Number of spans with an error.
    #[prost(uint32, tag = "2")]
    #[serde(skip_serializing_if = "is_zero")]
    pub error_count: u32,
}

/// A set of matching spans.
#[derive(Clone, PartialEq, Message, Serialize)]
pub struct SpanSet {
    /// The first spans of the set.
    #[prost(message, repeated, tag = "1")]
    pub spans: Vec<Span>,
    /// Total number of spans in the set.
    #[prost(uint32, tag = "2")]
    #[serde(skip_serializing_if = "is_zero")]
    pub matched: u32,
    /// Results of grouping and aggregation.
    #[prost(message, repeated, tag = "3")]
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "attributes")]
    pub attributes: Vec<KeyValue>,
}

/// A matching span.
#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    /// Span id in hex.
    #[prost(string, tag = "1")]
    #[serde(rename = "spanID")]
    pub span_id: String,
    /// Name of the span.
    #[prost(string, tag = "2")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Start time.
    #[prost(uint64, tag = "3")]
    #[serde(serialize_with = "as_text")]
    pub start_time_unix_nano: u64,
    /// Duration in nanoseconds.
    #[prost(uint64, tag = "4")]
    #[serde(serialize_with = "as_text")]
    pub duration_nanos: u64,
    /// Attributes used or selected by the query.
    #[prost(message, repeated, tag = "5")]
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "attributes")]
    pub attributes: Vec<KeyValue>,
}

/// Statistics of a search.
#[derive(Clone, Copy, PartialEq, Eq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchMetrics {
    /// Number of inspected traces.
    #[prost(uint32, tag = "1")]
    #[serde(skip_serializing_if = "is_zero")]
    pub inspected_traces: u32,
    /// Number of inspected bytes.
    #[prost(uint64, tag = "2")]
    #[serde(skip_serializing_if = "is_none", serialize_with = "as_text")]
    pub inspected_bytes: u64,
    /// Number of completed jobs.
    #[prost(uint32, tag = "4")]
    #[serde(skip_serializing_if = "is_zero")]
    pub completed_jobs: u32,
    /// Total number of jobs.
    #[prost(uint32, tag = "5")]
    #[serde(skip_serializing_if = "is_zero")]
    pub total_jobs: u32,
}

/// Statistics of a tag query; always empty.
#[derive(Clone, Copy, PartialEq, Eq, Message, Serialize)]
pub struct MetadataMetrics {}

/// Attribute names.
#[derive(Clone, PartialEq, Eq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchTagsResponse {
    /// Sorted names.
    #[prost(string, repeated, tag = "1")]
    pub tag_names: Vec<String>,
}

/// Attribute names by scope.
#[derive(Clone, PartialEq, Eq, Message, Serialize)]
pub struct SearchTagsV2Response {
    /// Scopes with at least one name.
    #[prost(message, repeated, tag = "1")]
    pub scopes: Vec<SearchTagsV2Scope>,
    /// Query statistics.
    #[prost(message, optional, tag = "2")]
    pub metrics: Option<MetadataMetrics>,
}

/// Attribute names of one scope.
#[derive(Clone, PartialEq, Eq, Message, Serialize)]
pub struct SearchTagsV2Scope {
    /// Scope name, such as `span`.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Attribute names.
    #[prost(string, repeated, tag = "2")]
    pub tags: Vec<String>,
}

/// Values of an attribute.
#[derive(Clone, PartialEq, Eq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchTagValuesResponse {
    /// Values as text.
    #[prost(string, repeated, tag = "1")]
    pub tag_values: Vec<String>,
}

/// Typed values of an attribute.
#[derive(Clone, PartialEq, Eq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchTagValuesV2Response {
    /// Typed values.
    #[prost(message, repeated, tag = "1")]
    pub tag_values: Vec<TagValue>,
    /// Query statistics.
    #[prost(message, optional, tag = "2")]
    pub metrics: Option<MetadataMetrics>,
}

/// Typed value of an attribute.
#[derive(Clone, PartialEq, Eq, Message, Serialize)]
pub struct TagValue {
    /// `string`, `int`, `float`, `bool`, `duration` or `keyword`.
    #[prost(string, tag = "1")]
    #[serde(rename = "type")]
    pub kind: String,
    /// Value as text.
    #[prost(string, tag = "2")]
    pub value: String,
}

/// Spans of a trace.
#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    /// Spans by resource.
    #[prost(message, repeated, tag = "1")]
    #[serde(serialize_with = "groups")]
    pub resource_spans: Vec<ResourceSpans>,
}

/// Trace response of API v2.
#[derive(Clone, PartialEq, Message, Serialize)]
pub struct TraceByIdResponse {
    /// Always present, even if the trace is empty.
    #[prost(message, optional, tag = "1")]
    pub trace: Option<Trace>,
    /// Query statistics.
    #[prost(message, optional, tag = "2")]
    pub metrics: Option<TraceByIdMetrics>,
}

/// Statistics of a trace lookup; always empty.
#[derive(Clone, Copy, PartialEq, Eq, Message, Serialize)]
pub struct TraceByIdMetrics {}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_none(number: &u64) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
pub(super) fn as_text<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

pub(super) fn attributes<S: Serializer>(attributes: &[KeyValue], serializer: S) -> Result<S::Ok, S::Error> {
    JsonList(attributes, OtlpJsonDialect::Tempo).serialize(serializer)
}

fn groups<S: Serializer>(groups: &[ResourceSpans], serializer: S) -> Result<S::Ok, S::Error> {
    JsonList(groups, OtlpJsonDialect::Tempo).serialize(serializer)
}
