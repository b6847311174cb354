//! Partial decoding of spans: unrequested parts are skipped without allocation.

use super::{corrupt, read_body, take};
use baton_span_ports::SpanStoreError;
use baton_traceql::{Aliases, AttributeScope, Field, Intrinsic, Query, referenced_fields};
use baton_types::{
    AttributeKey, Attributes, Span, SpanDropCounts, SpanEvent, SpanId, SpanKind, SpanLink, SpanResource, SpanScope,
    SpanStatus, TraceId,
};
use serde::{Deserialize, de::DeserializeOwned};
use std::sync::Arc;

/// The parts of a span to decode. Parts left out are empty in the decoded span; ids, times, status, resource and scope
/// are always present.
#[derive(Clone, Debug)]
pub(crate) struct SpanParts {
    /// Attribute keys to decode. `None` decodes the whole span, whatever the other fields say.
    keys: Option<Vec<AttributeKey>>,
    events: bool,
    links: bool,
    message: bool,
}

impl SpanParts {
    /// The whole span.
    pub(crate) const ALL: Self = Self { keys: None, events: true, links: true, message: true };
    /// No optional part.
    pub(crate) const MINIMAL: Self = Self { keys: Some(Vec::new()), events: false, links: false, message: false };

    /// The parts that a query evaluates or shows.
    pub(crate) fn from_query(query: &Query, aliases: Aliases) -> Self {
        let Some(fields) = referenced_fields(query) else { return Self::ALL };
        let mut keys: Vec<AttributeKey> = Vec::new();
        let mut parts = Self::MINIMAL;
        for field in &fields {
            match field {
                Field::Attribute(attribute) => {
                    parts.events |= matches!(attribute.scope, AttributeScope::Any | AttributeScope::Event);
                    parts.links |= matches!(attribute.scope, AttributeScope::Any | AttributeScope::Link);
                    if matches!(attribute.scope, AttributeScope::Any | AttributeScope::Span) {
                        keys.push(AttributeKey::Owned(attribute.name.clone()));
                        keys.extend(aliases.synonyms(&attribute.name).map(AttributeKey::Borrowed));
                    }
                }
                Field::Intrinsic(Intrinsic::EventName | Intrinsic::EventTimeSinceStart) => parts.events = true,
                Field::Intrinsic(Intrinsic::LinkTraceId | Intrinsic::LinkSpanId) => parts.links = true,
                Field::Intrinsic(Intrinsic::StatusMessage) => parts.message = true,
                Field::Intrinsic(_) => {}
            }
        }
        keys.sort_unstable();
        keys.dedup();
        Self { keys: Some(keys), ..parts }
    }
}

/// Leading fields of an encoded span.
#[derive(Deserialize)]
struct SpanHeader<'a> {
    trace: TraceId,
    pub(super) id: SpanId,
    pub(super) parent: Option<SpanId>,
    trace_state: &'a str,
    flags: u32,
    name: &'a str,
    kind: SpanKind,
    start: u64,
    end: u64,
}

/// Decodes some parts of a span body, which was encoded without resource and scope.
pub(crate) fn read_parts(
    mut bytes: &[u8],
    parts: &SpanParts,
    resource: Arc<SpanResource>,
    scope: Arc<SpanScope>,
) -> Result<Span, SpanStoreError> {
    let Some(keys) = &parts.keys else { return read_body(&mut bytes, resource, scope) };
    let opening: SpanHeader<'_> = take(&mut bytes)?;
    let attributes = read_attributes(&mut bytes, keys)?;
    let events: Vec<SpanEvent> = read_or_skip(&mut bytes, parts.events, |bytes| {
        let _at: u64 = take(bytes)?;
        skip_text(bytes)?;
        skip_attributes(bytes)?;
        take::<u32>(bytes).map(drop)
    })?;
    let links: Vec<SpanLink> = read_or_skip(&mut bytes, parts.links, |bytes| {
        let _ids: (TraceId, SpanId) = take(bytes)?;
        skip_text(bytes)?;
        skip_attributes(bytes)?;
        take::<(u32, u32)>(bytes).map(drop)
    })?;
    let (status, message): (SpanStatus, &str) = take(&mut bytes)?;
    Ok(Span {
        trace: opening.trace,
        id: opening.id,
        parent: opening.parent,
        trace_state: opening.trace_state.to_owned(),
        flags: opening.flags,
        name: AttributeKey::Owned(opening.name.to_owned()),
        kind: opening.kind,
        start: opening.start,
        end: opening.end,
        attributes,
        events,
        links,
        status,
        status_message: if parts.message { message.to_owned() } else { String::new() },
        dropped: SpanDropCounts::default(),
        resource,
        scope,
    })
}

fn read_attributes(bytes: &mut &[u8], keys: &[AttributeKey]) -> Result<Attributes, SpanStoreError> {
    let mut attributes = Attributes::new();
    for _ in 0..take::<u64>(bytes)? {
        let key: &str = take(bytes)?;
        match keys.iter().find(|selected| **selected == *key) {
            Some(key) => attributes.push((key.clone(), take(bytes)?)),
            None => skip_value(bytes)?,
        }
    }
    Ok(attributes)
}

fn read_or_skip<T: DeserializeOwned>(
    bytes: &mut &[u8],
    is_selected: bool,
    pass: impl Fn(&mut &[u8]) -> Result<(), SpanStoreError>,
) -> Result<Vec<T>, SpanStoreError> {
    if is_selected {
        return take(bytes);
    }
    for _ in 0..take::<u64>(bytes)? {
        pass(bytes)?;
    }
    Ok(Vec::new())
}

/// Skips a value, encoded as its variant number and its content.
fn skip_value(bytes: &mut &[u8]) -> Result<(), SpanStoreError> {
    match take::<u32>(bytes)? {
        0 | 6 => skip_text(bytes),
        1 => take::<bool>(bytes).map(drop),
        2 => take::<i64>(bytes).map(drop),
        3 => take::<f64>(bytes).map(drop),
        4 => (0..take::<u64>(bytes)?).try_for_each(|_| skip_value(bytes)),
        5 => skip_attributes(bytes),
        7 => Ok(()),
        _ => Err(corrupt(&"unknown value type")),
    }
}

fn skip_attributes(bytes: &mut &[u8]) -> Result<(), SpanStoreError> {
    for _ in 0..take::<u64>(bytes)? {
        skip_text(bytes)?;
        skip_value(bytes)?;
    }
    Ok(())
}

/// Text and bytes have the same encoding.
fn skip_text(bytes: &mut &[u8]) -> Result<(), SpanStoreError> {
    take::<&[u8]>(bytes).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::write_body;
    use baton_traceql::{Mode, parse};
    use baton_types::SpanValue;

    /// A span with every type of value in every place.
    fn span() -> Span {
        let list = SpanValue::List(vec![SpanValue::Int(-1), SpanValue::List(vec![SpanValue::Bool(true)])]);
        let map = SpanValue::Map(vec![("in".into(), SpanValue::Bytes(vec![0, 255])), ("out".into(), SpanValue::Empty)]);
        let attributes: Attributes = vec![
            ("text".into(), "a text".into()),
            ("flag".into(), SpanValue::Bool(false)),
            ("whole".into(), SpanValue::Int(i64::MIN)),
            ("real".into(), SpanValue::Float(-0.5)),
            ("list".into(), list),
            ("map".into(), map),
            ("bytes".into(), SpanValue::Bytes(vec![7; 300])),
            ("nothing".into(), SpanValue::Empty),
            ("last".into(), SpanValue::Int(9)),
        ];
        let ids = (TraceId([7; 16]), SpanId([8; 8]));
        Span {
            trace: ids.0,
            id: ids.1,
            parent: Some(SpanId([9; 8])),
            trace_state: "a=b".to_owned(),
            flags: 257,
            name: "a name".into(),
            kind: SpanKind::Client,
            start: 1_794_816_000_000_000_000,
            end: u64::MAX,
            attributes: attributes.clone(),
            events: vec![
                SpanEvent { at: 3, name: "e".into(), attributes: attributes.clone(), dropped_attributes: 300 };
                2
            ],
            links: vec![SpanLink {
                trace: ids.0,
                span: ids.1,
                trace_state: "c".to_owned(),
                attributes,
                dropped_attributes: 1,
                flags: 300,
            }],
            status: SpanStatus::Error,
            status_message: "why".to_owned(),
            dropped: SpanDropCounts::default(),
            resource: Arc::default(),
            scope: Arc::default(),
        }
    }

    #[test]
    fn unrequested_fields_are_skipped() {
        const ALIASES: Aliases = Aliases(&[&["last", "latest"]]);
        let table: &[(&str, &[&str], bool, bool, bool)] = &[
            ("{ }", &[], false, false, false),
            ("{ span.text = 1 } | select(span.list)", &["text", "list"], false, false, false),
            ("{ span.latest = 1 && resource.flag }", &["last"], false, false, false),
            ("{ .map = 1 }", &["map"], true, true, false),
            ("{ event.real = 1 } >> { statusMessage = \"why\" }", &[], true, false, true),
            ("{ link:spanID = \"1\" } | by(span.flag)", &["flag"], false, true, false),
            ("{ event:name = \"e\" } | max(span.whole) > 1", &["whole"], true, false, false),
            ("{ parent.nothing = nil } | rate() by (span.bytes)", &["nothing", "bytes"], true, true, false),
            ("({ } | rate()) / ({ } | sum_over_time(span.real) by (name))", &["real"], false, false, false),
        ];
        let span = span();
        let mut bytes = Vec::new();
        write_body(&mut bytes, &span);
        let read = |parts: &SpanParts| read_parts(&bytes, parts, Arc::default(), Arc::default()).unwrap();
        for (text, keys, events, links, message) in table {
            let query = parse(text, Mode::Strict).unwrap_or_else(|why| panic!("{text}: {why}")).query;
            let mut wanted = span.clone();
            wanted.attributes.retain(|(key, _)| keys.contains(&key.as_ref()));
            if !events {
                wanted.events.clear();
            }
            if !links {
                wanted.links.clear();
            }
            if !message {
                wanted.status_message.clear();
            }
            assert_eq!(read(&SpanParts::from_query(&query, ALIASES)), wanted, "{text}");
        }
        let all = parse("{ } | compare({ status = error })", Mode::Strict).unwrap().query;
        assert_eq!(read(&SpanParts::from_query(&all, ALIASES)), span);
        for cut in 0..bytes.len() - 3 {
            assert!(read_parts(&bytes[..cut], &SpanParts::MINIMAL, Arc::default(), Arc::default()).is_err(), "{cut}");
        }
    }
}
