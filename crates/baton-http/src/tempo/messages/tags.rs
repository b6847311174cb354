//! Attribute names and values as Tempo messages.

use baton_otlp::tempo::{
    MetadataMetrics, SearchTagValuesResponse, SearchTagValuesV2Response, SearchTagsResponse, SearchTagsV2Response,
    SearchTagsV2Scope, TagValue,
};
use baton_span_ports::TagNames;
use baton_types::SpanValue;
use std::collections::BTreeSet;

/// Intrinsic fields of spans, by their TraceQL names.
pub(crate) const INTRINSICS: &[&str] = &[
    "duration",
    "event:name",
    "event:timeSinceStart",
    "instrumentation:name",
    "instrumentation:version",
    "kind",
    "link:spanID",
    "link:traceID",
    "name",
    "rootName",
    "rootServiceName",
    "span:childCount",
    "span:duration",
    "span:id",
    "span:kind",
    "span:name",
    "span:parentID",
    "span:status",
    "span:statusMessage",
    "status",
    "statusMessage",
    "trace:duration",
    "trace:id",
    "trace:rootName",
    "trace:rootService",
    "traceDuration",
];

/// Scope of requested attribute names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TagScope {
    /// All scopes.
    All,
    /// Span attributes.
    Span,
    /// Resource attributes.
    Resource,
    /// Event attributes.
    Event,
    /// Link attributes.
    Link,
    /// Instrumentation scope attributes.
    Instrumentation,
    /// Intrinsic fields.
    Intrinsic,
}

impl TagScope {
    /// Parses a `scope` parameter.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "" | "all" | "none" => Self::All,
            "span" => Self::Span,
            "resource" => Self::Resource,
            "event" => Self::Event,
            "link" => Self::Link,
            "instrumentation" => Self::Instrumentation,
            "intrinsic" => Self::Intrinsic,
            _ => return None,
        })
    }
}

/// Names by scope; empty scopes are omitted.
pub(crate) fn tag_scopes(tags: &TagNames, requested: TagScope) -> SearchTagsV2Response {
    let intrinsics = INTRINSICS.iter().map(|name| (*name).to_owned()).collect();
    let scopes = [
        ("span", TagScope::Span, tags.span.clone()),
        ("resource", TagScope::Resource, tags.resource.clone()),
        ("event", TagScope::Event, tags.event.clone()),
        ("link", TagScope::Link, tags.link.clone()),
        ("instrumentation", TagScope::Instrumentation, tags.instrumentation.clone()),
        ("intrinsic", TagScope::Intrinsic, intrinsics),
    ];
    let scopes = scopes
        .into_iter()
        .filter(|(_, scope, names)| !names.is_empty() && (requested == TagScope::All || requested == *scope));
    let scopes = scopes.map(|(name, _, tags)| SearchTagsV2Scope { name: name.to_owned(), tags }).collect();
    SearchTagsV2Response { scopes, metrics: Some(MetadataMetrics {}) }
}

/// Names in one list; intrinsic fields only if requested explicitly.
pub(crate) fn tag_names(tags: &TagNames, requested: TagScope) -> SearchTagsResponse {
    let scopes = tag_scopes(tags, requested).scopes.into_iter();
    let named = scopes.filter(|scope| requested == TagScope::Intrinsic || scope.name != "intrinsic");
    let names: BTreeSet<String> = named.flat_map(|scope| scope.tags).collect();
    SearchTagsResponse { tag_names: names.into_iter().collect() }
}

/// Type of the values of a field, if it differs from their own type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// The type of each value.
    Native,
    /// TraceQL keywords such as `error` and `server`.
    Keyword,
    /// Durations in nanoseconds.
    Duration,
}

/// Values with and without types; values not usable in queries are omitted.
pub(crate) fn tag_values(
    values: &[SpanValue],
    kind: ValueKind,
) -> (SearchTagValuesV2Response, SearchTagValuesResponse) {
    let typed: Vec<TagValue> = values.iter().filter_map(|value| tag_value(value, kind)).collect();
    let plain = typed.iter().map(|value| value.value.clone()).collect();
    let metrics = Some(MetadataMetrics {});
    (SearchTagValuesV2Response { tag_values: typed, metrics }, SearchTagValuesResponse { tag_values: plain })
}

fn tag_value(value: &SpanValue, kind: ValueKind) -> Option<TagValue> {
    let (kind_name, value) = match (value, kind) {
        (SpanValue::Text(text), ValueKind::Keyword) => ("keyword", text.clone().into_owned()),
        (SpanValue::Text(text), _) => ("string", text.clone().into_owned()),
        (SpanValue::Int(nanos), ValueKind::Duration) => ("duration", duration(*nanos)),
        (SpanValue::Int(number), _) => ("int", number.to_string()),
        (SpanValue::Float(number), _) => ("float", number.to_string()),
        (SpanValue::Bool(value), _) => ("bool", value.to_string()),
        (SpanValue::List(_) | SpanValue::Map(_) | SpanValue::Bytes(_) | SpanValue::Empty, _) => return None,
    };
    Some(TagValue { kind: kind_name.to_owned(), value })
}

/// Formats a TraceQL duration in the largest unit without loss of precision.
fn duration(nanos: i64) -> String {
    let units = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)];
    match units.iter().find(|(_, unit)| nanos != 0 && nanos % unit == 0) {
        Some((name, unit)) => format!("{}{name}", nanos / unit),
        None => format!("{nanos}ns"),
    }
}
