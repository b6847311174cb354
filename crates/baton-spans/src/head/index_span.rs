//! What of a span goes into the columns.

use super::columns::Columns;
use crate::index::{Atom, MAX_ELEMENTS, Place, kind_code, own, status_code};
use baton_types::{Key, Resource, Span, SpanScope, Value};

/// Notes what a span says by itself.
pub(crate) fn index_span(columns: &mut Columns, row: u32, span: &Span) {
    let mut note = Note { columns, entry: row };
    note.one(Place::Own, own::NAME, Atom::Text(&span.name));
    let duration = i64::try_from(span.duration()).unwrap_or(i64::MAX);
    note.one(Place::Own, own::DURATION, Atom::Int(duration));
    note.one(Place::Own, own::KIND, Atom::Int(kind_code(span.kind)));
    note.one(Place::Own, own::STATUS, Atom::Int(status_code(span.status)));
    if !span.status_message.is_empty() {
        note.one(Place::Own, own::STATUS_MESSAGE, Atom::Text(&span.status_message));
    }
    if span.parent.is_none() {
        note.one(Place::Own, own::ROOT_NAME, Atom::Text(&span.name));
        if let Some(service) = span.service() {
            note.one(Place::Own, own::ROOT_SERVICE, Atom::Text(service));
        }
    }
    note.attributes(Place::Span, &span.attributes);
    for event in &span.events {
        note.one(Place::Own, own::EVENT_NAME, Atom::Text(&event.name));
        note.attributes(Place::Event, &event.attributes);
    }
    for link in &span.links {
        note.one(Place::Own, own::LINK_TRACE, Atom::Text(&link.trace.to_string()));
        note.one(Place::Own, own::LINK_SPAN, Atom::Text(&link.span.to_string()));
        note.attributes(Place::Link, &link.attributes);
    }
}

/// Notes what spans share.
pub(crate) fn index_shared(columns: &mut Columns, number: u32, resource: &Resource, scope: &SpanScope) {
    let mut note = Note { columns, entry: number };
    note.one(Place::Maker, own::MAKER_NAME, Atom::Text(&scope.name));
    note.one(Place::Maker, own::MAKER_VERSION, Atom::Text(&scope.version));
    note.attributes(Place::Resource, &resource.attributes);
    note.attributes(Place::Instrumentation, &scope.attributes);
}

struct Note<'a> {
    columns: &'a mut Columns,
    entry: u32,
}

impl Note<'_> {
    fn one(&mut self, place: Place, key: &str, value: Atom<'_>) {
        if let Some(column) = self.columns.column(place, key, self.entry) {
            self.columns.push(column, self.entry, value);
        }
    }

    fn attributes(&mut self, place: Place, attributes: &[(Key, Value)]) {
        for (key, value) in attributes {
            if let Some(column) = self.columns.column(place, key, self.entry) {
                self.value(column, value);
            }
        }
    }

    fn value(&mut self, column: usize, value: &Value) {
        let Value::List(elements) = value else { return self.element(column, value) };
        self.columns.push_several(column, self.entry);
        for element in elements.iter().take(MAX_ELEMENTS) {
            self.element(column, element);
        }
        if elements.is_empty() || elements.len() > MAX_ELEMENTS {
            self.columns.push_odd(column, self.entry);
        }
    }

    fn element(&mut self, column: usize, value: &Value) {
        let atom = match value {
            Value::Text(text) => Atom::Text(text),
            Value::Bool(flag) => Atom::Bool(*flag),
            Value::Int(number) => Atom::Int(*number),
            Value::Float(number) => Atom::Float(*number),
            Value::List(_) | Value::Map(_) | Value::Bytes(_) | Value::Empty => {
                return self.columns.push_odd(column, self.entry);
            }
        };
        self.columns.push(column, self.entry, atom);
    }
}
