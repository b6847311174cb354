//! OTLP messages as JSON: 64-bit numbers are text, zero values are omitted.

use crate::proto::{
    AnyValue, Event, InstrumentationScope, KeyValue, Link, Resource, ResourceSpans, ScopeSpans, Span, SpanKind, Status,
    StatusCode, Value,
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde::{Serialize, Serializer, ser::SerializeMap};

/// JSON serialization of a message; nested messages use the same dialect.
pub(crate) trait WriteJson {
    /// Serializes the message.
    fn write<S: Serializer>(&self, dialect: OtlpJsonDialect, serializer: S) -> Result<S::Ok, S::Error>;
}

struct JsonMessage<'a, T>(&'a T, OtlpJsonDialect);

/// A list of messages.
pub(crate) struct JsonList<'a, T>(pub(crate) &'a [T], pub(crate) OtlpJsonDialect);

/// JSON dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtlpJsonDialect {
    /// For OTLP receivers: ids in hex, enums as numbers.
    Otlp,
    /// For Tempo clients: ids in base64, enums by name.
    Tempo,
}

/// Members of an object; zero values are omitted.
struct Members<S: SerializeMap>(S, OtlpJsonDialect);

impl<S: SerializeMap> Members<S> {
    fn text(&mut self, name: &'static str, text: &str) -> Result<(), S::Error> {
        if text.is_empty() { Ok(()) } else { self.0.serialize_entry(name, text) }
    }

    fn number(&mut self, name: &'static str, number: u32) -> Result<(), S::Error> {
        if number == 0 { Ok(()) } else { self.0.serialize_entry(name, &number) }
    }

    fn time(&mut self, name: &'static str, nanos: u64) -> Result<(), S::Error> {
        if nanos == 0 { Ok(()) } else { self.0.serialize_entry(name, &nanos.to_string()) }
    }

    fn id(&mut self, name: &'static str, id: &[u8]) -> Result<(), S::Error> {
        match self.1 {
            _ if id.is_empty() => Ok(()),
            OtlpJsonDialect::Otlp => self.0.serialize_entry(name, &hex(id)),
            OtlpJsonDialect::Tempo => self.0.serialize_entry(name, &BASE64_STANDARD.encode(id)),
        }
    }

    fn enumeration(&mut self, name: &'static str, number: i32, text: Option<&'static str>) -> Result<(), S::Error> {
        match (self.1, text) {
            _ if number == 0 => Ok(()),
            (OtlpJsonDialect::Tempo, Some(text)) => self.0.serialize_entry(name, text),
            _ => self.0.serialize_entry(name, &number),
        }
    }

    fn boolean(&mut self, name: &'static str, truth: bool) -> Result<(), S::Error> {
        if truth { self.0.serialize_entry(name, &truth) } else { Ok(()) }
    }

    /// Omits an absent number, but not zero.
    fn double(&mut self, name: &'static str, number: Option<f64>) -> Result<(), S::Error> {
        number.map_or(Ok(()), |number| self.0.serialize_entry(name, &Double(number)))
    }

    fn doubles(&mut self, name: &'static str, numbers: &[f64]) -> Result<(), S::Error> {
        let numbers: Vec<Double> = numbers.iter().copied().map(Double).collect();
        if numbers.is_empty() { Ok(()) } else { self.0.serialize_entry(name, &numbers) }
    }

    fn counts(&mut self, name: &'static str, counts: &[u64]) -> Result<(), S::Error> {
        let counts: Vec<String> = counts.iter().map(u64::to_string).collect();
        if counts.is_empty() { Ok(()) } else { self.0.serialize_entry(name, &counts) }
    }

    fn list(&mut self, name: &'static str, items: &[impl WriteJson]) -> Result<(), S::Error> {
        if items.is_empty() { Ok(()) } else { self.0.serialize_entry(name, &JsonList(items, self.1)) }
    }

    fn message(&mut self, name: &'static str, message: Option<&impl WriteJson>) -> Result<(), S::Error> {
        message.map_or(Ok(()), |message| self.0.serialize_entry(name, &JsonMessage(message, self.1)))
    }
}

/// A floating-point number; non-finite values are text.
struct Double(f64);

impl Serialize for Double {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            number if number.is_finite() => serializer.serialize_f64(number),
            number if number.is_nan() => serializer.serialize_str("NaN"),
            number if number > 0.0 => serializer.serialize_str("Infinity"),
            _ => serializer.serialize_str("-Infinity"),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl<T: WriteJson> Serialize for JsonMessage<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(self.1, serializer)
    }
}

impl<T: WriteJson> Serialize for JsonList<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|item| JsonMessage(item, self.1)))
    }
}

macro_rules! objects {
    ($($message:ty, |$it:ident, $to:ident| $members:block)*) => {$(
        impl WriteJson for $message {
            fn write<S: Serializer>(&self, dialect: OtlpJsonDialect, serializer: S) -> Result<S::Ok, S::Error> {
                let ($it, mut $to) = (self, Members(serializer.serialize_map(None)?, dialect));
                $members
                $to.0.end()
            }
        }
    )*};
}

mod logs;
mod metrics;

objects! {
    ResourceSpans, |it, to| {
        to.message("resource", it.resource.as_ref())?;
        to.list("scopeSpans", &it.scope_spans)?;
        to.text("schemaUrl", &it.schema_url)?;
    }
    Resource, |it, to| {
        to.list("attributes", &it.attributes)?;
        to.number("droppedAttributesCount", it.dropped_attributes_count)?;
    }
    ScopeSpans, |it, to| {
        to.message("scope", it.scope.as_ref())?;
        to.list("spans", &it.spans)?;
        to.text("schemaUrl", &it.schema_url)?;
    }
    InstrumentationScope, |it, to| {
        to.text("name", &it.name)?;
        to.text("version", &it.version)?;
        to.list("attributes", &it.attributes)?;
        to.number("droppedAttributesCount", it.dropped_attributes_count)?;
    }
    Span, |it, to| {
        to.id("traceId", &it.trace_id)?;
        to.id("spanId", &it.span_id)?;
        to.text("traceState", &it.trace_state)?;
        to.id("parentSpanId", &it.parent_span_id)?;
        to.number("flags", it.flags)?;
        to.text("name", &it.name)?;
        to.enumeration("kind", it.kind, SpanKind::name_of(it.kind))?;
        to.time("startTimeUnixNano", it.start_time_unix_nano)?;
        to.time("endTimeUnixNano", it.end_time_unix_nano)?;
        to.list("attributes", &it.attributes)?;
        to.number("droppedAttributesCount", it.dropped_attributes_count)?;
        to.list("events", &it.events)?;
        to.number("droppedEventsCount", it.dropped_events_count)?;
        to.list("links", &it.links)?;
        to.number("droppedLinksCount", it.dropped_links_count)?;
        to.message("status", it.status.as_ref())?;
    }
    Status, |it, to| {
        to.text("message", &it.message)?;
        to.enumeration("code", it.code, StatusCode::name_of(it.code))?;
    }
    Event, |it, to| {
        to.time("timeUnixNano", it.time_unix_nano)?;
        to.text("name", &it.name)?;
        to.list("attributes", &it.attributes)?;
        to.number("droppedAttributesCount", it.dropped_attributes_count)?;
    }
    Link, |it, to| {
        to.id("traceId", &it.trace_id)?;
        to.id("spanId", &it.span_id)?;
        to.text("traceState", &it.trace_state)?;
        to.list("attributes", &it.attributes)?;
        to.number("droppedAttributesCount", it.dropped_attributes_count)?;
        to.number("flags", it.flags)?;
    }
    KeyValue, |it, to| {
        to.text("key", &it.key)?;
        to.message("value", it.value.as_ref())?;
    }
}

/// The selected member of the oneof is written even if it is zero.
impl WriteJson for AnyValue {
    fn write<S: Serializer>(&self, dialect: OtlpJsonDialect, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        match &self.value {
            Some(Value::StringValue(text)) => members.serialize_entry("stringValue", text)?,
            Some(Value::BoolValue(value)) => members.serialize_entry("boolValue", value)?,
            Some(Value::IntValue(number)) => members.serialize_entry("intValue", &number.to_string())?,
            Some(Value::DoubleValue(number)) => members.serialize_entry("doubleValue", &Double(*number))?,
            Some(Value::ArrayValue(list)) => {
                members.serialize_entry("arrayValue", &JsonValuesObject(&list.values, dialect))?;
            }
            Some(Value::KvlistValue(map)) => {
                members.serialize_entry("kvlistValue", &JsonValuesObject(&map.values, dialect))?;
            }
            Some(Value::BytesValue(bytes)) => {
                members.serialize_entry("bytesValue", &BASE64_STANDARD.encode(bytes))?;
            }
            None => {}
        }
        members.end()
    }
}

struct JsonValuesObject<'a, T>(&'a [T], OtlpJsonDialect);

impl<T: WriteJson> Serialize for JsonValuesObject<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(Some(1))?;
        members.serialize_entry("values", &JsonList(self.0, self.1))?;
        members.end()
    }
}
