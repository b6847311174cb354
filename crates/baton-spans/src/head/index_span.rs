//! Adds the indexed values of a span to the columns.

use super::columns::HeadColumns;
use crate::{
    codec::{BodyReader, BorrowedSpan, BorrowedValue},
    index::{Atom, MAX_ELEMENTS, ValueLocation, kind_code, own, status_code},
};
use baton_span_ports::SpanStoreError;
use baton_types::{AttributeKey, SpanId, SpanResource, SpanScope, SpanValue, TraceId, find_attribute};

/// Indexes the values of a span itself.
pub(crate) fn index_span(
    columns: &mut HeadColumns,
    row: u32,
    span: &BorrowedSpan<'_>,
    resource: &SpanResource,
) -> Result<(), SpanStoreError> {
    let mut note = ColumnWriter { columns, entry: row };
    note.add_text(ValueLocation::Own, own::NAME, span.name);
    let duration = i64::try_from(span.duration()).unwrap_or(i64::MAX);
    note.add_scalar(ValueLocation::Own, own::DURATION, Atom::Int(duration));
    note.add_scalar(ValueLocation::Own, own::KIND, Atom::Int(kind_code(span.kind)));
    if span.parent.is_none() {
        note.add_text(ValueLocation::Own, own::ROOT_NAME, span.name);
        let service = find_attribute(&resource.attributes, "service.name");
        if let Some(service) = service.and_then(SpanValue::as_text) {
            note.add_scalar(ValueLocation::Own, own::ROOT_SERVICE, Atom::Text(service));
        }
    }
    let mut reader = span.rest;
    note.add_encoded_attributes(ValueLocation::Span, &mut reader)?;
    for _ in 0..reader.varint()? {
        let _at = reader.varint()?;
        note.add_text(ValueLocation::Own, own::EVENT_NAME, reader.bytes()?);
        note.add_encoded_attributes(ValueLocation::Event, &mut reader)?;
        let _dropped = reader.varint()?;
    }
    for _ in 0..reader.varint()? {
        let (trace, span) = (TraceId(reader.array()?), SpanId(reader.array()?));
        note.add_scalar(ValueLocation::Own, own::LINK_TRACE, Atom::Text(&trace.to_string()));
        note.add_scalar(ValueLocation::Own, own::LINK_SPAN, Atom::Text(&span.to_string()));
        let _trace_state = reader.bytes()?;
        note.add_encoded_attributes(ValueLocation::Link, &mut reader)?;
        let (_dropped, _flags) = (reader.varint()?, reader.varint()?);
    }
    let (status, message) = reader.status()?;
    note.add_scalar(ValueLocation::Own, own::STATUS, Atom::Int(status_code(status)));
    if !message.is_empty() {
        note.add_text(ValueLocation::Own, own::STATUS_MESSAGE, message);
    }
    Ok(())
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
        if let Some(column) = self.columns.column(location, key.as_bytes(), self.entry) {
            self.columns.push(column, self.entry, value);
        }
    }

    fn add_text(&mut self, location: ValueLocation, key: &str, text: &[u8]) {
        if let Some(column) = self.columns.column(location, key.as_bytes(), self.entry) {
            self.columns.push_text(column, self.entry, text);
        }
    }

    fn add_encoded_attributes(
        &mut self,
        location: ValueLocation,
        reader: &mut BodyReader<'_>,
    ) -> Result<(), SpanStoreError> {
        for _ in 0..reader.varint()? {
            match self.columns.column(location, reader.bytes()?, self.entry) {
                Some(column) => self.add_encoded_value(column, reader)?,
                None => reader.skip_value()?,
            }
        }
        Ok(())
    }

    fn add_encoded_value(&mut self, column: usize, reader: &mut BodyReader<'_>) -> Result<(), SpanStoreError> {
        let value = reader.value()?;
        let BorrowedValue::List(count) = value else {
            self.add_encoded_scalar(column, &value);
            return Ok(());
        };
        self.columns.push_not_single(column, self.entry);
        let indexed = count.min(MAX_ELEMENTS as u64);
        for _ in 0..indexed {
            let element = reader.value()?;
            self.add_encoded_scalar(column, &element);
            if let BorrowedValue::List(inner) = element {
                reader.skip_values(inner)?;
            }
        }
        reader.skip_values(count - indexed)?;
        if count == 0 || count > indexed {
            self.columns.push_incomparable(column, self.entry);
        }
        Ok(())
    }

    fn add_encoded_scalar(&mut self, column: usize, value: &BorrowedValue<'_>) {
        match value {
            BorrowedValue::Text(text) => self.columns.push_text(column, self.entry, text),
            BorrowedValue::Bool(flag) => self.columns.push(column, self.entry, Atom::Bool(*flag)),
            BorrowedValue::Int(number) => self.columns.push(column, self.entry, Atom::Int(*number)),
            BorrowedValue::Float(number) => self.columns.push(column, self.entry, Atom::Float(*number)),
            BorrowedValue::List(_) | BorrowedValue::Incomparable => {
                self.columns.push_incomparable(column, self.entry);
            }
        }
    }

    fn add_attributes(&mut self, location: ValueLocation, attributes: &[(AttributeKey, SpanValue)]) {
        for (key, value) in attributes {
            if let Some(column) = self.columns.column(location, key.as_bytes(), self.entry) {
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
