//! Adds the indexed values of a span to the columns.

use super::columns::Columns;
use crate::{
    codec::{SeenAttributes, SeenSpan, SeenValue},
    index::{Atom, MAX_ELEMENTS, Place, kind_code, own, status_code},
};
use baton_types::{AttributeKey, SpanResource, SpanScope, SpanValue, find_attribute};

/// Indexes the values of a span itself.
pub(crate) fn index_span(columns: &mut Columns, row: u32, span: &SeenSpan<'_>, resource: &SpanResource) {
    let mut note = Note { columns, entry: row };
    note.one(Place::Own, own::NAME, Atom::Text(span.name));
    let duration = i64::try_from(span.duration()).unwrap_or(i64::MAX);
    note.one(Place::Own, own::DURATION, Atom::Int(duration));
    note.one(Place::Own, own::KIND, Atom::Int(kind_code(span.kind)));
    note.one(Place::Own, own::STATUS, Atom::Int(status_code(span.status)));
    if !span.status_message.is_empty() {
        note.one(Place::Own, own::STATUS_MESSAGE, Atom::Text(span.status_message));
    }
    if span.parent.is_none() {
        note.one(Place::Own, own::ROOT_NAME, Atom::Text(span.name));
        let service = find_attribute(&resource.attributes, "service.name");
        if let Some(service) = service.and_then(SpanValue::as_text) {
            note.one(Place::Own, own::ROOT_SERVICE, Atom::Text(service));
        }
    }
    note.seen(Place::Span, &span.attributes);
    for event in &span.events {
        note.one(Place::Own, own::EVENT_NAME, Atom::Text(event.name));
        note.seen(Place::Event, &event.attributes);
    }
    for link in &span.links {
        note.one(Place::Own, own::LINK_TRACE, Atom::Text(&link.trace.to_string()));
        note.one(Place::Own, own::LINK_SPAN, Atom::Text(&link.span.to_string()));
        note.seen(Place::Link, &link.attributes);
    }
}

/// Indexes a resource and scope.
pub(crate) fn index_shared(columns: &mut Columns, number: u32, resource: &SpanResource, scope: &SpanScope) {
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

    fn seen(&mut self, place: Place, attributes: &SeenAttributes<'_>) {
        for (key, value) in attributes {
            if let Some(column) = self.columns.column(place, key, self.entry) {
                self.seen_value(column, value);
            }
        }
    }

    fn seen_value(&mut self, column: usize, value: &SeenValue<'_>) {
        let SeenValue::List(elements) = value else { return self.note(column, value.atom()) };
        self.several(column, elements.iter().map(SeenValue::atom));
    }

    fn attributes(&mut self, place: Place, attributes: &[(AttributeKey, SpanValue)]) {
        for (key, value) in attributes {
            if let Some(column) = self.columns.column(place, key, self.entry) {
                self.value(column, value);
            }
        }
    }

    fn value(&mut self, column: usize, value: &SpanValue) {
        let SpanValue::List(elements) = value else { return self.note(column, atom(value)) };
        self.several(column, elements.iter().map(atom));
    }

    /// Adds the elements of a list.
    fn several<'v>(&mut self, column: usize, elements: impl ExactSizeIterator<Item = Option<Atom<'v>>>) {
        self.columns.push_several(column, self.entry);
        let count = elements.len();
        elements.take(MAX_ELEMENTS).for_each(|element| self.note(column, element));
        if count == 0 || count > MAX_ELEMENTS {
            self.columns.push_odd(column, self.entry);
        }
    }

    /// Adds a value, or records that it cannot be compared.
    fn note(&mut self, column: usize, value: Option<Atom<'_>>) {
        match value {
            Some(value) => self.columns.push(column, self.entry, value),
            None => self.columns.push_odd(column, self.entry),
        }
    }
}

fn atom(value: &SpanValue) -> Option<Atom<'_>> {
    match value {
        SpanValue::Text(text) => Some(Atom::Text(text)),
        SpanValue::Bool(flag) => Some(Atom::Bool(*flag)),
        SpanValue::Int(number) => Some(Atom::Int(*number)),
        SpanValue::Float(number) => Some(Atom::Float(*number)),
        SpanValue::List(_) | SpanValue::Map(_) | SpanValue::Bytes(_) | SpanValue::Empty => None,
    }
}

impl SeenValue<'_> {
    fn atom(&self) -> Option<Atom<'_>> {
        match self {
            Self::Text(text) => Some(Atom::Text(text)),
            Self::Bool(flag) => Some(Atom::Bool(*flag)),
            Self::Int(number) => Some(Atom::Int(*number)),
            Self::Float(number) => Some(Atom::Float(*number)),
            Self::List(_) | Self::Map(_) | Self::Bytes(_) | Self::Empty => None,
        }
    }
}
