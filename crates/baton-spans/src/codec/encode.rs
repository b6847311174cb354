//! Encoding of a span body: postcard's format, written directly, because every span of this process passes here.

use baton_types::{Attributes, Span, SpanValue};

/// Appends the span without its resource and scope.
pub(crate) fn write_body(buffer: &mut Vec<u8>, span: &Span) {
    buffer.extend_from_slice(&span.trace.0);
    buffer.extend_from_slice(&span.id.0);
    match span.parent {
        None => buffer.push(0),
        Some(parent) => {
            buffer.push(1);
            buffer.extend_from_slice(&parent.0);
        }
    }
    put_text(buffer, &span.trace_state);
    put_number(buffer, u64::from(span.flags));
    put_text(buffer, &span.name);
    buffer.push(span.kind as u8);
    put_number(buffer, span.start);
    put_number(buffer, span.end);
    put_attributes(buffer, &span.attributes);
    put_number(buffer, span.events.len() as u64);
    for event in &span.events {
        put_number(buffer, event.at);
        put_text(buffer, &event.name);
        put_attributes(buffer, &event.attributes);
        put_number(buffer, u64::from(event.dropped_attributes));
    }
    put_number(buffer, span.links.len() as u64);
    for link in &span.links {
        buffer.extend_from_slice(&link.trace.0);
        buffer.extend_from_slice(&link.span.0);
        put_text(buffer, &link.trace_state);
        put_attributes(buffer, &link.attributes);
        put_number(buffer, u64::from(link.dropped_attributes));
        put_number(buffer, u64::from(link.flags));
    }
    buffer.push(span.status as u8);
    put_text(buffer, &span.status_message);
    for dropped in [span.dropped.attributes, span.dropped.events, span.dropped.links] {
        put_number(buffer, u64::from(dropped));
    }
}

/// Appends an unsigned number: seven bits per byte, lowest first.
pub(crate) fn put_number(buffer: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        buffer.push(number as u8 | 0x80);
        number >>= 7;
    }
    buffer.push(number as u8);
}

fn put_text(buffer: &mut Vec<u8>, text: &str) {
    put_bytes(buffer, text.as_bytes());
}

fn put_bytes(buffer: &mut Vec<u8>, bytes: &[u8]) {
    put_number(buffer, bytes.len() as u64);
    buffer.extend_from_slice(bytes);
}

fn put_attributes(buffer: &mut Vec<u8>, attributes: &Attributes) {
    put_number(buffer, attributes.len() as u64);
    for (key, value) in attributes {
        put_text(buffer, key);
        put_value(buffer, value);
    }
}

/// Appends a value: the number of its variant, then its content.
fn put_value(buffer: &mut Vec<u8>, value: &SpanValue) {
    match value {
        SpanValue::Text(text) => {
            buffer.push(0);
            put_text(buffer, text);
        }
        SpanValue::Bool(flag) => buffer.extend_from_slice(&[1, u8::from(*flag)]),
        SpanValue::Int(number) => {
            buffer.push(2);
            put_number(buffer, ((number << 1) ^ (number >> 63)).cast_unsigned());
        }
        SpanValue::Float(number) => {
            buffer.push(3);
            buffer.extend_from_slice(&number.to_le_bytes());
        }
        SpanValue::List(elements) => {
            buffer.push(4);
            put_number(buffer, elements.len() as u64);
            elements.iter().for_each(|element| put_value(buffer, element));
        }
        SpanValue::Map(attributes) => {
            buffer.push(5);
            put_attributes(buffer, attributes);
        }
        SpanValue::Bytes(bytes) => {
            buffer.push(6);
            put_bytes(buffer, bytes);
        }
        SpanValue::Empty => buffer.push(7),
    }
}
