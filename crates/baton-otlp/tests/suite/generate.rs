//! Generators of spans with all fields of OTLP.

use baton_types::{
    AttributeKey, Attributes, Span, SpanDropCounts, SpanEvent, SpanId, SpanKind, SpanLink, SpanResource, SpanScope,
    SpanStatus, SpanValue, TraceId,
};
use proptest::{collection::vec, option, prelude::*};
use std::{collections::BTreeSet, sync::Arc};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-z.]{0,12}", 1 => "\\PC{0,8}", 1 => Just("\u{0}\"\\\u{2028}é".to_owned())]
}

fn values() -> impl Strategy<Value = SpanValue> {
    let leaf = prop_oneof![
        4 => text().prop_map(SpanValue::from),
        1 => any::<bool>().prop_map(SpanValue::Bool),
        2 => any::<i64>().prop_map(SpanValue::Int),
        // NaN does not equal itself.
        2 => any::<f64>().prop_filter("a number", |number| !number.is_nan()).prop_map(SpanValue::Float),
        1 => vec(any::<u8>(), 0..9).prop_map(SpanValue::Bytes),
        1 => Just(SpanValue::Empty),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(SpanValue::List),
            vec((text(), inner), 0..4).prop_map(|entries| SpanValue::Map(unique(entries))),
        ]
    })
}

fn unique(entries: Vec<(String, SpanValue)>) -> Attributes {
    let mut known = BTreeSet::new();
    let first = |(key, _): &(String, SpanValue)| known.insert(key.clone());
    entries.into_iter().filter(first).map(|(key, value)| (AttributeKey::from(key), value)).collect()
}

fn attributes() -> impl Strategy<Value = Attributes> {
    prop_oneof![
        9 => vec((text(), values()), 0..5).prop_map(unique),
        // Enough keys for a map lookup instead of comparisons.
        1 => vec(("[a-z]{1,3}", values()), 20..60).prop_map(unique),
    ]
}

fn resources() -> impl Strategy<Value = Arc<SpanResource>> {
    (attributes(), any::<u32>(), text()).prop_map(|(attributes, dropped_attributes, schema_url)| {
        Arc::new(SpanResource { attributes, dropped_attributes, schema_url })
    })
}

fn scopes() -> impl Strategy<Value = Arc<SpanScope>> {
    (text(), text(), attributes(), any::<u32>(), text()).prop_map(
        |(name, version, attributes, dropped_attributes, schema_url)| {
            Arc::new(SpanScope { name, version, attributes, dropped_attributes, schema_url })
        },
    )
}

fn ids() -> impl Strategy<Value = (TraceId, SpanId, Option<SpanId>)> {
    let trace = any::<[u8; 16]>().prop_map(TraceId).prop_filter("an id", |id| id.is_valid());
    let span = || any::<[u8; 8]>().prop_map(SpanId).prop_filter("an id", |id| id.is_valid());
    (trace, span(), option::of(span()))
}

fn kinds() -> impl Strategy<Value = SpanKind> {
    use SpanKind::{Client, Consumer, Internal, Producer, Server, Unspecified};
    prop::sample::select(vec![Unspecified, Internal, Server, Client, Producer, Consumer])
}

fn events() -> impl Strategy<Value = SpanEvent> {
    (any::<u64>(), text(), attributes(), any::<u32>()).prop_map(|(at, name, attributes, dropped_attributes)| {
        SpanEvent { at, name: name.into(), attributes, dropped_attributes }
    })
}

fn links() -> impl Strategy<Value = SpanLink> {
    let ids = (any::<[u8; 16]>(), any::<[u8; 8]>());
    (ids, text(), attributes(), any::<u32>(), any::<u32>()).prop_map(
        |((trace, span), trace_state, attributes, dropped_attributes, flags)| SpanLink {
            trace: TraceId(trace),
            span: SpanId(span),
            trace_state,
            attributes,
            dropped_attributes,
            flags,
        },
    )
}

fn spans_of(origins: Vec<(Arc<SpanResource>, Arc<SpanScope>)>) -> impl Strategy<Value = Span> {
    let status = prop::sample::select(vec![SpanStatus::Unset, SpanStatus::Ok, SpanStatus::Error]);
    let dropped = any::<(u32, u32, u32)>();
    let said = (text(), text(), kinds(), status, text(), any::<u32>());
    let more = (attributes(), vec(events(), 0..3), vec(links(), 0..3), dropped);
    (ids(), said, any::<(u64, u64)>(), more, prop::sample::select(origins)).prop_map(
        |((trace, id, parent), said, (start, end), (attributes, events, links, dropped), (resource, scope))| {
            let (name, trace_state, kind, status, status_message, flags) = said;
            let dropped = SpanDropCounts { attributes: dropped.0, events: dropped.1, links: dropped.2 };
            let name = name.into();
            Span {
                trace,
                id,
                parent,
                trace_state,
                flags,
                name,
                kind,
                start,
                end,
                attributes,
                events,
                links,
                status,
                status_message,
                dropped,
                resource,
                scope,
            }
        },
    )
}

/// A batch of spans that share a few resources and scopes.
pub(crate) fn batches() -> impl Strategy<Value = Vec<Span>> {
    vec((resources(), scopes()), 1..4).prop_flat_map(|origins| vec(spans_of(origins), 0..8))
}

/// A minimal span.
pub(crate) fn span() -> Span {
    Span {
        trace: TraceId([1; 16]),
        id: SpanId([2; 8]),
        parent: None,
        trace_state: String::new(),
        flags: 0,
        name: "invoke_agent weather".into(),
        kind: SpanKind::Internal,
        start: 1_794_770_760_000_000_000,
        end: 1_794_770_760_012_345_678,
        attributes: Vec::new(),
        events: Vec::new(),
        links: Vec::new(),
        status: SpanStatus::Unset,
        status_message: String::new(),
        dropped: SpanDropCounts::default(),
        resource: Arc::new(SpanResource {
            attributes: vec![("service.name".into(), "agents".into())],
            ..SpanResource::default()
        }),
        scope: Arc::new(SpanScope { name: "baton".to_owned(), version: "0.1.0".to_owned(), ..SpanScope::default() }),
    }
}
