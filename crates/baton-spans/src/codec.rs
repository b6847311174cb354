//! Encoding of spans in the log and in blocks: each span on its own, with its resource and scope by number.
//!
//! A [`TableBuilder`] numbers the resources and scopes of the spans of a batch; the resulting [`Tables`] are written
//! with the batch and are required to decode its spans.

mod borrowed;
mod encode;
mod parts;

use baton_span_ports::SpanStoreError;
use baton_traceql::TraceNode;
use baton_types::{
    AttributeKey, Attributes, Span, SpanDropCounts, SpanEvent, SpanId, SpanKind, SpanLink, SpanResource, SpanScope,
    SpanStatus, SpanValue, TraceId,
};
pub(crate) use borrowed::{BodyReader, BorrowedSpan, BorrowedValue};
pub(crate) use encode::{put_number, write_body};
pub(crate) use parts::{SpanParts, read_parts};
use serde::{Deserialize, Serialize};
use std::{collections::HashMap, fmt::Display, mem, sync::Arc};

/// Resources and scopes of the spans of a batch.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tables {
    pub(crate) resources: Vec<Arc<SpanResource>>,
    pub(crate) scopes: Vec<Arc<SpanScope>>,
}

/// Numbers resources and scopes; equal values share a number.
#[derive(Default)]
pub(crate) struct TableBuilder {
    resources: NumberedInterner<SpanResource>,
    scopes: NumberedInterner<SpanScope>,
}

struct NumberedInterner<T> {
    values: Vec<Arc<T>>,
    /// By address; the stored `Arc` keeps the value alive, so that no other value gets the same address.
    seen: HashMap<usize, (Arc<T>, u32)>,
    /// By encoded form, so that NaN equals NaN.
    written: HashMap<Vec<u8>, u32>,
    last: Option<(Arc<T>, u32)>,
}

impl<T> Default for NumberedInterner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), seen: HashMap::new(), written: HashMap::new(), last: None }
    }
}

impl<T: Serialize> NumberedInterner<T> {
    fn number(&mut self, value: &Arc<T>) -> Result<u32, SpanStoreError> {
        if let Some((last, number)) = &self.last
            && Arc::ptr_eq(last, value)
        {
            return Ok(*number);
        }
        let address = Arc::as_ptr(value).addr();
        let number = match self.seen.get(&address) {
            Some((_, number)) => *number,
            None => self.number_by_encoding(value, address)?,
        };
        self.last = Some((Arc::clone(value), number));
        Ok(number)
    }

    fn number_by_encoding(&mut self, value: &Arc<T>, address: usize) -> Result<u32, SpanStoreError> {
        let form = postcard::to_stdvec(value.as_ref()).map_err(|error| unwritable(&error))?;
        let next = u32::try_from(self.values.len()).map_err(|_| too_many())?;
        let number = *self.written.entry(form).or_insert(next);
        if number == next {
            self.values.push(Arc::clone(value));
        }
        self.seen.insert(address, (Arc::clone(value), number));
        Ok(number)
    }
}

impl TableBuilder {
    /// The tables numbered so far.
    pub(crate) fn tables(&self) -> Tables {
        Tables { resources: self.resources.values.clone(), scopes: self.scopes.values.clone() }
    }

    /// Number of a resource.
    pub(crate) fn resource(&mut self, resource: &Arc<SpanResource>) -> Result<u32, SpanStoreError> {
        self.resources.number(resource)
    }

    /// Number of an instrumentation scope.
    pub(crate) fn scope(&mut self, scope: &Arc<SpanScope>) -> Result<u32, SpanStoreError> {
        self.scopes.number(scope)
    }
}

#[derive(Deserialize)]
struct DecodedSpan {
    trace: TraceId,
    id: SpanId,
    parent: Option<SpanId>,
    trace_state: String,
    flags: u32,
    name: AttributeKey,
    kind: SpanKind,
    start: u64,
    end: u64,
    attributes: Attributes,
    events: Vec<SpanEvent>,
    links: Vec<SpanLink>,
    status: SpanStatus,
    status_message: String,
    dropped: SpanDropCounts,
}

/// Start and end of an encoded span body; the rest is not decoded.
pub(crate) fn read_times(bytes: &[u8]) -> Result<(u64, u64), SpanStoreError> {
    let span = BorrowedSpan::read(bytes)?;
    Ok((span.start, span.end))
}

/// Ids and start of an encoded span body; the rest is not decoded.
pub(crate) fn read_node(bytes: &[u8]) -> Result<TraceNode, SpanStoreError> {
    let span = BorrowedSpan::read(bytes)?;
    Ok(TraceNode { id: span.id, parent: span.parent, start: span.start })
}

/// Takes a span from the front of the bytes.
pub(crate) fn read_span(bytes: &mut &[u8], tables: &Tables) -> Result<Span, SpanStoreError> {
    let read: DecodedSpan = take(bytes)?;
    let (resource, scope): (u32, u32) = take(bytes)?;
    let shared =
        |missing: &str| SpanStoreError::Corrupt(format!("a span refers to {missing} that its batch does not contain"));
    let at = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let resource = tables.resources.get(at(resource)).map(Arc::clone).ok_or_else(|| shared("a resource"))?;
    let scope = tables.scopes.get(at(scope)).map(Arc::clone).ok_or_else(|| shared("a scope"))?;
    Ok(read.into_span(resource, scope))
}

/// Takes a span body, encoded without resource and scope, from the front of the bytes.
pub(crate) fn read_body(
    bytes: &mut &[u8],
    resource: Arc<SpanResource>,
    scope: Arc<SpanScope>,
) -> Result<Span, SpanStoreError> {
    let read: DecodedSpan = take(bytes)?;
    Ok(read.into_span(resource, scope))
}

impl DecodedSpan {
    fn into_span(self, resource: Arc<SpanResource>, scope: Arc<SpanScope>) -> Span {
        Span {
            resource,
            scope,
            trace: self.trace,
            id: self.id,
            parent: self.parent,
            trace_state: self.trace_state,
            flags: self.flags,
            name: self.name,
            kind: self.kind,
            start: self.start,
            end: self.end,
            attributes: self.attributes,
            events: self.events,
            links: self.links,
            status: self.status,
            status_message: self.status_message,
            dropped: self.dropped,
        }
    }
}

/// Appends a value to the buffer.
pub(crate) fn append(buffer: &mut Vec<u8>, value: &impl Serialize) -> Result<(), SpanStoreError> {
    *buffer = postcard::to_extend(value, mem::take(buffer)).map_err(|error| unwritable(&error))?;
    Ok(())
}

/// Takes a value from the front of the bytes.
pub(crate) fn take<'a, T: Deserialize<'a>>(bytes: &mut &'a [u8]) -> Result<T, SpanStoreError> {
    let (value, rest) = postcard::take_from_bytes(bytes).map_err(|error| corrupt(&error))?;
    *bytes = rest;
    Ok(value)
}

fn corrupt(error: &impl Display) -> SpanStoreError {
    SpanStoreError::Corrupt(format!("span data cannot be decoded: {error}"))
}

fn unwritable(error: &postcard::Error) -> SpanStoreError {
    SpanStoreError::Unavailable(format!("a span cannot be encoded: {error}"))
}

fn too_many() -> SpanStoreError {
    SpanStoreError::Unavailable("too many distinct resources or scopes in one batch".to_owned())
}

/// Approximate memory of a span in bytes, without its resource and scope.
pub(crate) fn weight(span: &Span) -> usize {
    let events = span
        .events
        .iter()
        .map(|event| mem::size_of::<SpanEvent>() + event.name.len() + attributes_weight(&event.attributes));
    let links = span
        .links
        .iter()
        .map(|link| mem::size_of::<SpanLink>() + link.trace_state.len() + attributes_weight(&link.attributes));
    mem::size_of::<Span>()
        + span.name.len()
        + span.trace_state.len()
        + span.status_message.len()
        + attributes_weight(&span.attributes)
        + events.sum::<usize>()
        + links.sum::<usize>()
}

/// Approximate encoded length of a span in bytes; rarely exceeded.
pub(crate) fn encoded_len(span: &Span) -> usize {
    let attribute_bytes = |attributes: &[(AttributeKey, SpanValue)]| -> usize {
        attributes.iter().map(|(key, value)| 12 + key.len() + heap_weight(value)).sum()
    };
    let events = span.events.iter().map(|event| 24 + event.name.len() + attribute_bytes(&event.attributes));
    let links = span.links.iter().map(|link| 40 + attribute_bytes(&link.attributes));
    80 + span.name.len() + attribute_bytes(&span.attributes) + events.sum::<usize>() + links.sum::<usize>()
}

/// Approximate memory of attributes in bytes.
pub(crate) fn attributes_weight(attributes: &[(AttributeKey, SpanValue)]) -> usize {
    attributes
        .iter()
        .map(|(key, value)| mem::size_of::<(AttributeKey, SpanValue)>() + key.len() + heap_weight(value))
        .sum()
}

/// Approximate heap memory of a value in bytes.
pub(crate) fn heap_weight(value: &SpanValue) -> usize {
    match value {
        SpanValue::Text(text) => text.len(),
        SpanValue::Bytes(bytes) => bytes.len(),
        SpanValue::List(values) => values.iter().map(|value| mem::size_of::<SpanValue>() + heap_weight(value)).sum(),
        SpanValue::Map(attributes) => attributes_weight(attributes),
        SpanValue::Bool(_) | SpanValue::Int(_) | SpanValue::Float(_) | SpanValue::Empty => 0,
    }
}
