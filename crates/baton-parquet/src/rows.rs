//! Rows of one row group.

use crate::{
    attribute_column::{ATTRIBUTE_COLUMNS, ColumnKind},
    leaf::{ColumnCell, LeafColumn},
    map::MapColumn,
    value_text,
};
use baton_telemetry::names;
use baton_types::{Span, SpanResource, SpanValue, find_attribute};
use bytes::Bytes;
use std::{collections::HashMap, sync::Arc};

/// Buffered rows, by column.
pub(crate) struct SpanRows {
    trace_id: LeafColumn,
    span_id: LeafColumn,
    parent_span_id: LeafColumn,
    name: LeafColumn,
    kind: LeafColumn,
    status: LeafColumn,
    status_message: LeafColumn,
    start: LeafColumn,
    start_unix_ns: LeafColumn,
    duration_ns: LeafColumn,
    service_name: LeafColumn,
    scope_name: LeafColumn,
    scope_version: LeafColumn,
    trace_state: LeafColumn,
    known: Vec<LeafColumn>,
    resource_attributes: MapColumn,
    attributes: MapColumn,
    attribute_numbers: MapColumn,
    events: LeafColumn,
    links: LeafColumn,
    count: usize,
    /// Column index by attribute key.
    column_indexes: HashMap<&'static str, usize>,
    /// Consecutive spans usually share a resource, so its encoded form is cached.
    last: Option<(Arc<SpanResource>, EncodedResource)>,
}

/// A resource in encoded form.
struct EncodedResource {
    service: Option<Bytes>,
    attributes: Vec<(Bytes, Option<Bytes>)>,
}

impl SpanRows {
    pub(crate) fn new() -> Self {
        let known = ATTRIBUTE_COLUMNS.iter().map(|known| match known.kind {
            ColumnKind::Text => LeafColumn::text(),
            ColumnKind::Whole => LeafColumn::integer(),
            ColumnKind::Number => LeafColumn::number(),
        });
        Self {
            trace_id: LeafColumn::text(),
            span_id: LeafColumn::text(),
            parent_span_id: LeafColumn::text(),
            name: LeafColumn::text(),
            kind: LeafColumn::text(),
            status: LeafColumn::text(),
            status_message: LeafColumn::text(),
            start: LeafColumn::integer(),
            start_unix_ns: LeafColumn::integer(),
            duration_ns: LeafColumn::integer(),
            service_name: LeafColumn::text(),
            scope_name: LeafColumn::text(),
            scope_version: LeafColumn::text(),
            trace_state: LeafColumn::text(),
            known: known.collect(),
            resource_attributes: MapColumn::text(),
            attributes: MapColumn::text(),
            attribute_numbers: MapColumn::numbers(),
            events: LeafColumn::text(),
            links: LeafColumn::text(),
            count: 0,
            column_indexes: ATTRIBUTE_COLUMNS.iter().enumerate().map(|(index, known)| (known.key, index)).collect(),
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
        let to_i64 = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        self.trace_id.put(span.trace.to_string());
        self.span_id.put(span.id.to_string());
        self.parent_span_id.put_optional(span.parent.map(|parent| parent.to_string()));
        self.name.put(value_text::key(&span.name));
        self.kind.put(value_text::kind(span.kind));
        self.status.put(value_text::status(span.status));
        self.status_message.put(Bytes::copy_from_slice(span.status_message.as_bytes()));
        self.start.put(to_i64(span.start));
        self.start_unix_ns.put(to_i64(span.start));
        self.duration_ns.put(to_i64(span.duration()));
        self.scope_name.put(Bytes::copy_from_slice(span.scope.name.as_bytes()));
        self.scope_version.put(Bytes::copy_from_slice(span.scope.version.as_bytes()));
        self.trace_state.put(Bytes::copy_from_slice(span.trace_state.as_bytes()));
        self.add_known(span);
        self.add_resource(&span.resource);
        let pair = |(key, value): &(_, _)| (value_text::key(key), value_text::text(value).map(ColumnCell::from));
        self.attributes.put(span.attributes.iter().map(pair));
        let numbers = span.attributes.iter().filter_map(|(key, value)| Some((key, number(value)?)));
        self.attribute_numbers.put(numbers.map(|(key, number)| (value_text::key(key), Some(number.into()))));
        self.events.put_optional(value_text::events(span));
        self.links.put_optional(value_text::links(span));
        self.count += 1;
    }

    fn add_known(&mut self, span: &Span) {
        let mut found: [Option<&SpanValue>; ATTRIBUTE_COLUMNS.len()] = [None; ATTRIBUTE_COLUMNS.len()];
        // Span attributes come last, because they take precedence over resource attributes.
        for (key, value) in span.resource.attributes.iter().chain(&span.attributes) {
            if let Some(index) = self.column_indexes.get(key.as_ref()) {
                found[*index] = Some(value);
            }
        }
        for ((leaf, known), value) in self.known.iter_mut().zip(ATTRIBUTE_COLUMNS).zip(found) {
            leaf.put_optional(value.and_then(|value| match known.kind {
                ColumnKind::Text => value_text::text(value).map(ColumnCell::Text),
                ColumnKind::Whole => value.as_int().map(ColumnCell::Whole),
                ColumnKind::Number => number(value).map(ColumnCell::Number),
            }));
        }
    }

    fn add_resource(&mut self, resource: &Arc<SpanResource>) {
        if !self.last.as_ref().is_some_and(|(last, _)| Arc::ptr_eq(last, resource)) {
            let service = find_attribute(&resource.attributes, names::SERVICE_NAME).and_then(value_text::text);
            let pair = |(key, value): &(_, _)| (value_text::key(key), value_text::text(value));
            let encoded = EncodedResource { service, attributes: resource.attributes.iter().map(pair).collect() };
            self.last = Some((Arc::clone(resource), encoded));
        }
        if let Some((_, encoded)) = &self.last {
            self.service_name.put_optional(encoded.service.clone());
            self.resource_attributes
                .put(encoded.attributes.iter().map(|(key, value)| (key.clone(), value.clone().map(ColumnCell::from))));
        }
    }

    /// All columns, in schema order.
    pub(crate) fn leaves(&mut self) -> Vec<&mut LeafColumn> {
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
