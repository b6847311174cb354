//! Rows of one row group.

use crate::{
    known::{KNOWN, Kind},
    leaf::{Cell, Leaf},
    map::MapColumn,
    words,
};
use baton_telemetry::names;
use baton_types::{Span, SpanResource, SpanValue, find_attribute};
use bytes::Bytes;
use std::{collections::HashMap, sync::Arc};

/// Buffered rows, by column.
pub(crate) struct Rows {
    trace_id: Leaf,
    span_id: Leaf,
    parent_span_id: Leaf,
    name: Leaf,
    kind: Leaf,
    status: Leaf,
    status_message: Leaf,
    start: Leaf,
    start_unix_ns: Leaf,
    duration_ns: Leaf,
    service_name: Leaf,
    scope_name: Leaf,
    scope_version: Leaf,
    trace_state: Leaf,
    known: Vec<Leaf>,
    resource_attributes: MapColumn,
    attributes: MapColumn,
    attribute_numbers: MapColumn,
    events: Leaf,
    links: Leaf,
    count: usize,
    /// Column index by attribute key.
    places: HashMap<&'static str, usize>,
    /// Consecutive spans usually share a resource, so its encoded form is cached.
    last: Option<(Arc<SpanResource>, Said)>,
}

/// A resource in encoded form.
struct Said {
    service: Option<Bytes>,
    attributes: Vec<(Bytes, Option<Bytes>)>,
}

impl Rows {
    pub(crate) fn new() -> Self {
        let known = KNOWN.iter().map(|known| match known.kind {
            Kind::Text => Leaf::text(),
            Kind::Whole => Leaf::whole(),
            Kind::Number => Leaf::number(),
        });
        Self {
            trace_id: Leaf::text(),
            span_id: Leaf::text(),
            parent_span_id: Leaf::text(),
            name: Leaf::text(),
            kind: Leaf::text(),
            status: Leaf::text(),
            status_message: Leaf::text(),
            start: Leaf::whole(),
            start_unix_ns: Leaf::whole(),
            duration_ns: Leaf::whole(),
            service_name: Leaf::text(),
            scope_name: Leaf::text(),
            scope_version: Leaf::text(),
            trace_state: Leaf::text(),
            known: known.collect(),
            resource_attributes: MapColumn::text(),
            attributes: MapColumn::text(),
            attribute_numbers: MapColumn::numbers(),
            events: Leaf::text(),
            links: Leaf::text(),
            count: 0,
            places: KNOWN.iter().enumerate().map(|(place, known)| (known.key, place)).collect(),
            last: None,
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Approximate memory in bytes.
    pub(crate) fn bytes(&mut self) -> usize {
        self.leaves().iter().map(|leaf| leaf.bytes()).sum()
    }

    pub(crate) fn add(&mut self, span: &Span) {
        let whole = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.trace_id.put(span.trace.to_string());
        self.span_id.put(span.id.to_string());
        self.parent_span_id.maybe(span.parent.map(|parent| parent.to_string()));
        self.name.put(words::key(&span.name));
        self.kind.put(words::kind(span.kind));
        self.status.put(words::status(span.status));
        self.status_message.put(Bytes::copy_from_slice(span.status_message.as_bytes()));
        self.start.put(whole(span.start));
        self.start_unix_ns.put(whole(span.start));
        self.duration_ns.put(whole(span.duration()));
        self.scope_name.put(Bytes::copy_from_slice(span.scope.name.as_bytes()));
        self.scope_version.put(Bytes::copy_from_slice(span.scope.version.as_bytes()));
        self.trace_state.put(Bytes::copy_from_slice(span.trace_state.as_bytes()));
        self.add_known(span);
        self.add_resource(&span.resource);
        let pair = |(key, value): &(_, _)| (words::key(key), words::text(value).map(Cell::from));
        self.attributes.put(span.attributes.iter().map(pair));
        let numbers = span.attributes.iter().filter_map(|(key, value)| Some((key, number(value)?)));
        self.attribute_numbers.put(numbers.map(|(key, number)| (words::key(key), Some(number.into()))));
        self.events.maybe(words::events(span));
        self.links.maybe(words::links(span));
        self.count += 1;
    }

    fn add_known(&mut self, span: &Span) {
        let mut found: [Option<&SpanValue>; KNOWN.len()] = [None; KNOWN.len()];
        // Span attributes come last, because they take precedence over resource attributes.
        for (key, value) in span.resource.attributes.iter().chain(&span.attributes) {
            if let Some(place) = self.places.get(key.as_ref()) {
                found[*place] = Some(value);
            }
        }
        for ((leaf, known), value) in self.known.iter_mut().zip(KNOWN).zip(found) {
            leaf.maybe(value.and_then(|value| match known.kind {
                Kind::Text => words::text(value).map(Cell::Text),
                Kind::Whole => value.as_int().map(Cell::Whole),
                Kind::Number => number(value).map(Cell::Number),
            }));
        }
    }

    fn add_resource(&mut self, resource: &Arc<SpanResource>) {
        if !self.last.as_ref().is_some_and(|(last, _)| Arc::ptr_eq(last, resource)) {
            let service = find_attribute(&resource.attributes, names::SERVICE_NAME).and_then(words::text);
            let pair = |(key, value): &(_, _)| (words::key(key), words::text(value));
            let said = Said { service, attributes: resource.attributes.iter().map(pair).collect() };
            self.last = Some((Arc::clone(resource), said));
        }
        if let Some((_, said)) = &self.last {
            self.service_name.maybe(said.service.clone());
            self.resource_attributes
                .put(said.attributes.iter().map(|(key, value)| (key.clone(), value.clone().map(Cell::from))));
        }
    }

    /// All columns, in schema order.
    pub(crate) fn leaves(&mut self) -> Vec<&mut Leaf> {
        let mut leaves = vec![
            &mut self.trace_id,
            &mut self.span_id,
            &mut self.parent_span_id,
            &mut self.name,
            &mut self.kind,
            &mut self.status,
            &mut self.status_message,
            &mut self.start,
            &mut self.start_unix_ns,
            &mut self.duration_ns,
            &mut self.service_name,
            &mut self.scope_name,
            &mut self.scope_version,
            &mut self.trace_state,
        ];
        leaves.extend(&mut self.known);
        for map in [&mut self.resource_attributes, &mut self.attributes, &mut self.attribute_numbers] {
            leaves.extend([&mut map.keys, &mut map.values]);
        }
        leaves.extend([&mut self.events, &mut self.links]);
        leaves
    }

    /// Resets the row count after a write.
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }
}

fn number(value: &SpanValue) -> Option<f64> {
    match value {
        SpanValue::Int(number) => Some(*number as f64),
        SpanValue::Float(number) => Some(*number),
        _ => None,
    }
}
