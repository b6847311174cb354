//! Estimates the decoded size of a body before it is decoded.

use super::{ReadError, count};

/// Maximum number of spans per request.
pub const MAX_SPANS: usize = 100_000;

/// Maximum number of messages of all kinds per request: spans, attributes, values, events, links.
pub const MAX_ITEMS: usize = 2_000_000;

/// Approximate memory overhead of a message.
const ITEM_OVERHEAD_BYTES: usize = 96;

/// Maximum nesting depth, equal to the limit of the decoder.
const MAX_DEPTH: usize = 100;

/// Estimated memory of a protobuf request.
pub(super) fn estimate_protobuf(body: &[u8]) -> Result<usize, ReadError> {
    let mut scale = ItemCounter::default();
    scale.count_message(body, OtlpMessageKind::Request, MAX_DEPTH)?;
    Ok(body.len() + scale.items * ITEM_OVERHEAD_BYTES)
}

/// Estimated memory of a JSON request: every object is a message or a value.
pub(super) fn estimate_json(body: &[u8]) -> Result<usize, ReadError> {
    let mut scale = ItemCounter::default();
    let (mut quoted, mut escaped) = (false, false);
    for byte in body {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => scale.count_item()?,
            _ => {}
        }
    }
    // A body with at most this many objects cannot exceed the span limit.
    if scale.items > MAX_SPANS && count::count_spans(body)? > MAX_SPANS {
        return Err(too_many_spans());
    }
    Ok(body.len() + scale.items * ITEM_OVERHEAD_BYTES)
}

/// OTLP messages that contain other messages.
#[derive(Clone, Copy)]
enum OtlpMessageKind {
    Request,
    ResourceSpans,
    Resource,
    ScopeSpans,
    Scope,
    Span,
    Event,
    Link,
    KeyValue,
    Value,
    Array,
    Map,
}

impl OtlpMessageKind {
    /// Kind of message in the field with this number.
    fn field_kind(self, field: u64) -> Option<Self> {
        Some(match (self, field) {
            (Self::Request, 1) => Self::ResourceSpans,
            (Self::ResourceSpans, 1) => Self::Resource,
            (Self::ResourceSpans, 2) => Self::ScopeSpans,
            (Self::ScopeSpans, 1) => Self::Scope,
            (Self::ScopeSpans, 2) => Self::Span,
            (Self::Span, 11) => Self::Event,
            (Self::Span, 13) => Self::Link,
            (Self::Resource | Self::Map, 1) | (Self::Scope | Self::Event, 3) | (Self::Span, 9) | (Self::Link, 4) => {
                Self::KeyValue
            }
            (Self::KeyValue, 2) | (Self::Array, 1) => Self::Value,
            (Self::Value, 5) => Self::Array,
            (Self::Value, 6) => Self::Map,
            _ => return None,
        })
    }
}

#[derive(Default)]
struct ItemCounter {
    items: usize,
    spans: usize,
}

impl ItemCounter {
    fn count_item(&mut self) -> Result<(), ReadError> {
        self.items += 1;
        if self.items > MAX_ITEMS {
            return Err(ReadError::TooMany { kind: "spans, attributes and other items", limit: MAX_ITEMS });
        }
        Ok(())
    }

    fn count_message(&mut self, mut bytes: &[u8], shape: OtlpMessageKind, depth: usize) -> Result<(), ReadError> {
        let depth = depth.checked_sub(1).ok_or_else(|| malformed("it is nested too deeply"))?;
        while !bytes.is_empty() {
            let key = read_varint(&mut bytes)?;
            let content = match key & 7 {
                0 => read_varint(&mut bytes).map(|_| None)?,
                1 => take_bytes(&mut bytes, 8).map(|_| None)?,
                2 => {
                    let length = usize::try_from(read_varint(&mut bytes)?).map_err(|_| truncated_error())?;
                    Some(take_bytes(&mut bytes, length)?)
                }
                5 => take_bytes(&mut bytes, 4).map(|_| None)?,
                _ => return Err(malformed("a field has an unknown wire type")),
            };
            let Some((content, inside)) = content.zip(shape.field_kind(key >> 3)) else { continue };
            self.count_item()?;
            if matches!(inside, OtlpMessageKind::Span) {
                self.spans += 1;
                if self.spans > MAX_SPANS {
                    return Err(too_many_spans());
                }
            }
            self.count_message(content, inside, depth)?;
        }
        Ok(())
    }
}

fn too_many_spans() -> ReadError {
    ReadError::TooMany { kind: "spans", limit: MAX_SPANS }
}

pub(super) fn malformed(reason: &str) -> ReadError {
    ReadError::Malformed(reason.to_owned())
}

fn truncated_error() -> ReadError {
    malformed("it is cut off")
}

pub(super) fn take_bytes<'a>(bytes: &mut &'a [u8], length: usize) -> Result<&'a [u8], ReadError> {
    let (head, rest) = bytes.split_at_checked(length).ok_or_else(truncated_error)?;
    *bytes = rest;
    Ok(head)
}

pub(super) fn read_varint(bytes: &mut &[u8]) -> Result<u64, ReadError> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or_else(truncated_error)?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(malformed("a number is too long"))
}
