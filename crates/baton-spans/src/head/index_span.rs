//! Adds the indexed values of a span to the columns.

use super::columns::HeadColumns;
use crate::{
    codec::{BorrowedAttributes, BorrowedSpan, BorrowedValue},
    index::{Atom, MAX_ELEMENTS, ValueLocation, kind_code, own, status_code},
};
use baton_types::{AttributeKey, SpanResource, SpanScope, SpanValue, find_attribute};

/// Indexes the values of a span itself.
pub(crate) fn index_span(columns: &mut HeadColumns, row: u32, span: &BorrowedSpan<'_>, resource: &SpanResource) {
    let mut note = ColumnWriter { columns, entry: row };
    note.add_scalar(ValueLocation::Own, own::NAME, Atom::Text(span.name));
    let duration = i64::try_from(span.duration()).unwrap_or(i64::MAX);
    note.add_scalar(ValueLocation::Own, own::DURATION, Atom::Int(duration));
    note.add_scalar(ValueLocation::Own, own::KIND, Atom::Int(kind_code(span.kind)));
    note.add_scalar(ValueLocation::Own, own::STATUS, Atom::Int(status_code(span.status)));
    if !span.status_message.is_empty() {
        note.add_scalar(ValueLocation::Own, own::STATUS_MESSAGE, Atom::Text(span.status_message));
    }
    if span.parent.is_none() {
        note.add_scalar(ValueLocation::Own, own::ROOT_NAME, Atom::Text(span.name));
        let service = find_attribute(&resource.attributes, "service.name");
        if let Some(service) = service.and_then(SpanValue::as_text) {
            note.add_scalar(ValueLocation::Own, own::ROOT_SERVICE, Atom::Text(service));
        }
    }
    note.add_borrowed_attributes(ValueLocation::Span, &span.attributes);
    for event in &span.events {
        note.add_scalar(ValueLocation::Own, own::EVENT_NAME, Atom::Text(event.name));
        note.add_borrowed_attributes(ValueLocation::Event, &event.attributes);
    }
    for link in &span.links {
        note.add_scalar(ValueLocation::Own, own::LINK_TRACE, Atom::Text(&link.trace.to_string()));
        note.add_scalar(ValueLocation::Own, own::LINK_SPAN, Atom::Text(&link.span.to_string()));
        note.add_borrowed_attributes(ValueLocation::Link, &link.attributes);
    }
}

/// Indexes a resource and scope.
pub(crate) fn index_shared(columns: &mut HeadColumns, number: u32, resource: &SpanResource, scope: &SpanScope) {
    let mut note = ColumnWriter { columns, entry: number };
    note.add_scalar(ValueLocation::Maker, own::MAKER_NAME, Atom::Text(&scope.name));
    note.add_scalar(ValueLocation::Maker, own::MAKER_VERSION, Atom::Text(&scope.version));
    note.add_attributes(ValueLocation::Resource, &resource.attributes);
    note.add_attributes(ValueLocation::Instrumentation, &scope.attributes);
}

struct ColumnWriter<'a> {
    columns: &'a mut HeadColumns,
    entry: u32,
}

impl ColumnWriter<'_> {
    fn add_scalar(&mut self, location: ValueLocation, key: &str, value: Atom<'_>) {
        if let Some(column) = self.columns.column(location, key, self.entry) {
            self.columns.push(column, self.entry, value);
        }
    }

    fn add_borrowed_attributes(&mut self, location: ValueLocation, attributes: &BorrowedAttributes<'_>) {
        for (key, value) in attributes {
            if let Some(column) = self.columns.column(location, key, self.entry) {
                self.add_borrowed_value(column, value);
            }
        }
    }

    fn add_borrowed_value(&mut self, column: usize, value: &BorrowedValue<'_>) {
        let BorrowedValue::List(elements) = value else { return self.add_or_incomparable(column, value.atom()) };
        self.add_list(column, elements.iter().map(BorrowedValue::atom));
    }

    fn add_attributes(&mut self, location: ValueLocation, attributes: &[(AttributeKey, SpanValue)]) {
        for (key, value) in attributes {
            if let Some(column) = self.columns.column(location, key, self.entry) {
                self.add_value(column, value);
            }
        }
    }

    fn add_value(&mut self, column: usize, value: &SpanValue) {
        let SpanValue::List(elements) = value else { return self.add_or_incomparable(column, atom(value)) };
        self.add_list(column, elements.iter().map(atom));
    }

    /// Adds the elements of a list.
    fn add_list<'v>(&mut self, column: usize, elements: impl ExactSizeIterator<Item = Option<Atom<'v>>>) {
        self.columns.push_not_single(column, self.entry);
        let count = elements.len();
        elements.take(MAX_ELEMENTS).for_each(|element| self.add_or_incomparable(column, element));
        if count == 0 || count > MAX_ELEMENTS {
            self.columns.push_incomparable(column, self.entry);
        }
    }

    /// Adds a value, or records that it cannot be compared.
    fn add_or_incomparable(&mut self, column: usize, value: Option<Atom<'_>>) {
        match value {
            Some(value) => self.columns.push(column, self.entry, value),
            None => self.columns.push_incomparable(column, self.entry),
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

impl BorrowedValue<'_> {
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
