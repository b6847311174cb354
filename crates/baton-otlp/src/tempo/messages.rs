//! Tempo's messages, with the field numbers that it publishes; what is zero is left out of JSON, lists are not.

use crate::{
    json::{Dialect, List},
    proto::{KeyValue, ResourceSpans},
};
use prost::Message;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// What a search found.
#[derive(Clone, PartialEq, Message, Serialize)]
pub struct SearchResponse {
    /// The traces, newest first.
    #[prost(message, repeated, tag = "1")]
    pub traces: Vec<TraceSearchMetadata>,
    /// What it took.
    #[prost(message, optional, tag = "2")]
    pub metrics: Option<SearchMetrics>,
}

/// One trace that matched.
#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceSearchMetadata {
    /// In hex.
    #[prost(string, tag = "1")]
    #[serde(rename = "traceID")]
    pub trace_id: String,
    /// The service of the root span.
    #[prost(string, tag = "2")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub root_service_name: String,
    /// The name of the root span.
    #[prost(string, tag = "3")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub root_trace_name: String,
    /// When it began.
    #[prost(uint64, tag = "4")]
    #[serde(serialize_with = "as_text")]
    pub start_time_unix_nano: u64,
    /// How long it took.
    #[prost(uint32, tag = "5")]
    #[serde(skip_serializing_if = "is_zero")]
    pub duration_ms: u32,
    /// The first of the sets, for older clients.
    #[prost(message, optional, tag = "6")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span_set: Option<SpanSet>,
    /// What matched.
    #[prost(message, repeated, tag = "7")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub span_sets: Vec<SpanSet>,
    /// Per service.
    #[prost(btree_map = "string, message", tag = "8")]
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub service_stats: BTreeMap<String, ServiceStats>,
}

/// How much of a trace a service has.
#[derive(Clone, Copy, PartialEq, Eq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServiceStats {
    /// All spans.
    #[prost(uint32, tag = "1")]
    #[serde(skip_serializing_if = "is_zero")]
    pub span_count: u32,
    /// Those with an error.
    #[prost(uint32, tag = "2")]
    #[serde(skip_serializing_if = "is_zero")]
    pub error_count: u32,
}

/// Spans that matched together.
#[derive(Clone, PartialEq, Message, Serialize)]
pub struct SpanSet {
    /// The first of them.
    #[prost(message, repeated, tag = "1")]
    pub spans: Vec<Span>,
    /// How many there are.
    #[prost(uint32, tag = "2")]
    #[serde(skip_serializing_if = "is_zero")]
    pub matched: u32,
    /// What groups and aggregates said.
    #[prost(message, repeated, tag = "3")]
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "attributes")]
    pub attributes: Vec<KeyValue>,
}

/// One span that matched.
#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Span {
    /// In hex.
    #[prost(string, tag = "1")]
    #[serde(rename = "spanID")]
    pub span_id: String,
    /// Its name.
    #[prost(string, tag = "2")]
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// When it began.
    #[prost(uint64, tag = "3")]
    #[serde(serialize_with = "as_text")]
    pub start_time_unix_nano: u64,
    /// How long it took.
    #[prost(uint64, tag = "4")]
    #[serde(serialize_with = "as_text")]
    pub duration_nanos: u64,
    /// What the query used or selected.
    #[prost(message, repeated, tag = "5")]
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "attributes")]
    pub attributes: Vec<KeyValue>,
}

/// What a search took.
#[derive(Clone, Copy, PartialEq, Eq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchMetrics {
    /// Traces that were looked at.
    #[prost(uint32, tag = "1")]
    #[serde(skip_serializing_if = "is_zero")]
    pub inspected_traces: u32,
    /// Bytes that were read.
    #[prost(uint64, tag = "2")]
    #[serde(skip_serializing_if = "is_none", serialize_with = "as_text")]
    pub inspected_bytes: u64,
    /// Parts of the search that were finished.
    #[prost(uint32, tag = "4")]
    #[serde(skip_serializing_if = "is_zero")]
    pub completed_jobs: u32,
    /// Parts of the search.
    #[prost(uint32, tag = "5")]
    #[serde(skip_serializing_if = "is_zero")]
    pub total_jobs: u32,
}

/// What a look at names or values took; Baton says nothing about it.
#[derive(Clone, Copy, PartialEq, Eq, Message, Serialize)]
pub struct MetadataMetrics {}

/// Names of attributes.
#[derive(Clone, PartialEq, Eq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchTagsResponse {
    /// Sorted.
    #[prost(string, repeated, tag = "1")]
    pub tag_names: Vec<String>,
}

/// Names of attributes by where they are.
#[derive(Clone, PartialEq, Eq, Message, Serialize)]
pub struct SearchTagsV2Response {
    /// Those that have any.
    #[prost(message, repeated, tag = "1")]
    pub scopes: Vec<SearchTagsV2Scope>,
    /// What it took.
    #[prost(message, optional, tag = "2")]
    pub metrics: Option<MetadataMetrics>,
}

/// Where attributes are.
#[derive(Clone, PartialEq, Eq, Message, Serialize)]
pub struct SearchTagsV2Scope {
    /// Such as `span`.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Their names.
    #[prost(string, repeated, tag = "2")]
    pub tags: Vec<String>,
}

/// Values of an attribute.
#[derive(Clone, PartialEq, Eq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchTagValuesResponse {
    /// As text.
    #[prost(string, repeated, tag = "1")]
    pub tag_values: Vec<String>,
}

/// Values of an attribute with their types.
#[derive(Clone, PartialEq, Eq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchTagValuesV2Response {
    /// The values.
    #[prost(message, repeated, tag = "1")]
    pub tag_values: Vec<TagValue>,
    /// What it took.
    #[prost(message, optional, tag = "2")]
    pub metrics: Option<MetadataMetrics>,
}

/// One value of an attribute.
#[derive(Clone, PartialEq, Eq, Message, Serialize)]
pub struct TagValue {
    /// `string`, `int`, `float`, `bool`, `duration` or `keyword`.
    #[prost(string, tag = "1")]
    #[serde(rename = "type")]
    pub kind: String,
    /// As text.
    #[prost(string, tag = "2")]
    pub value: String,
}

/// The spans of a trace.
#[derive(Clone, PartialEq, Message, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trace {
    /// By what emitted them.
    #[prost(message, repeated, tag = "1")]
    #[serde(serialize_with = "groups")]
    pub resource_spans: Vec<ResourceSpans>,
}

/// A trace, as the second version of the API gives it.
#[derive(Clone, PartialEq, Message, Serialize)]
pub struct TraceByIdResponse {
    /// Always there, also when it is empty.
    #[prost(message, optional, tag = "1")]
    pub trace: Option<Trace>,
    /// What it took.
    #[prost(message, optional, tag = "2")]
    pub metrics: Option<TraceByIdMetrics>,
}

/// What a look at a trace took; Baton says nothing about it.
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
    List(attributes, Dialect::Tempo).serialize(serializer)
}

fn groups<S: Serializer>(groups: &[ResourceSpans], serializer: S) -> Result<S::Ok, S::Error> {
    List(groups, Dialect::Tempo).serialize(serializer)
}
