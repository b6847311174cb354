//! JSON as `google.protobuf.Struct` and `Value`: names in order, numbers as doubles.

use crate::fault::{ConversionError, ConversionResult};
use baton_types::{Json, MAX_JSON_DEPTH};
use prost_types::{ListValue, Struct, Value, value::Kind};
use serde::{
    Serialize, Serializer,
    de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor},
};
use std::{cell::Cell, collections::BTreeMap, fmt};

/// Maximum number of nested messages in one JSON value.
///
/// Protobuf parsers stop at 100, of which the path to the value uses up to six; an object uses three (value, struct,
/// entry) and an array two. Deeper values are available over JSON only.
const MAX_NESTED_MESSAGES: usize = 90;

/// Largest integer up to which doubles are exact.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// Converts any JSON value. Digits beyond the precision of a double are rounded; a number beyond its range is rejected.
pub(crate) fn value_from_json(json: &Json) -> ConversionResult<Value> {
    let deep = Cell::new(false);
    let mut text = serde_json::Deserializer::from_str(json.as_str());
    ProtoValueReader { remaining_depth: MAX_NESTED_MESSAGES, too_deep: &deep }.deserialize(&mut text).map_err(|error| {
        if deep.get() {
            return ConversionError::too_deep();
        }
        let error = error.to_string();
        ConversionError::new(error.split(" at line ").next().unwrap_or_default().to_owned())
    })
}

/// Converts a JSON object.
pub(crate) fn struct_from_json(json: &Json) -> ConversionResult<Struct> {
    match value_from_json(json)?.kind {
        Some(Kind::StructValue(fields)) => Ok(fields),
        _ => Err(ConversionError::new("must be a JSON object")),
    }
}

/// The value as JSON text; integers up to 2^53 are written without a fraction.
pub(crate) fn json_from_value(value: &Value) -> ConversionResult<Json> {
    check(value, MAX_JSON_DEPTH)?;
    Json::from_serializable(&ProtoValueSerializer(value)).map_err(|error| ConversionError::new(error.to_string()))
}

/// The object as JSON text.
pub(crate) fn json_from_struct(fields: Struct) -> ConversionResult<Json> {
    json_from_value(&Value { kind: Some(Kind::StructValue(fields)) })
}

fn check(value: &Value, room: usize) -> ConversionResult<()> {
    match &value.kind {
        None => Err(ConversionError::new("has a value without a kind")),
        Some(Kind::NumberValue(number)) if !number.is_finite() => Err(ConversionError::new("numbers must be finite")),
        Some(Kind::ListValue(list)) => {
            let room = room.checked_sub(1).ok_or_else(ConversionError::too_deep)?;
            list.values.iter().try_for_each(|value| check(value, room))
        }
        Some(Kind::StructValue(fields)) => {
            let room = room.checked_sub(1).ok_or_else(ConversionError::too_deep)?;
            fields.fields.values().try_for_each(|value| check(value, room))
        }
        Some(_) => Ok(()),
    }
}

/// Serializes a checked value as JSON.
struct ProtoValueSerializer<'a>(&'a Value);

impl Serialize for ProtoValueSerializer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0.kind {
            None | Some(Kind::NullValue(_)) => serializer.serialize_unit(),
            Some(Kind::BoolValue(value)) => serializer.serialize_bool(*value),
            Some(Kind::StringValue(text)) => serializer.serialize_str(text),
            Some(Kind::ListValue(list)) => serializer.collect_seq(list.values.iter().map(ProtoValueSerializer)),
            Some(Kind::StructValue(fields)) => {
                serializer.collect_map(fields.fields.iter().map(|(name, value)| (name, ProtoValueSerializer(value))))
            }
            Some(Kind::NumberValue(number)) => {
                let negative_zero = *number == 0.0 && number.is_sign_negative();
                if number.fract() == 0.0 && number.abs() <= MAX_EXACT_INTEGER && !negative_zero {
                    #[expect(clippy::cast_possible_truncation, reason = "whole and in range, checked above")]
                    return serializer.serialize_i64(*number as i64);
                }
                serializer.serialize_f64(*number)
            }
        }
    }
}

/// Parses JSON text into a value without an intermediate tree.
#[derive(Clone, Copy)]
struct ProtoValueReader<'a> {
    remaining_depth: usize,
    too_deep: &'a Cell<bool>,
}

impl ProtoValueReader<'_> {
    fn descend<E: serde::de::Error>(self, levels: usize) -> Result<Self, E> {
        match self.remaining_depth.checked_sub(levels) {
            Some(room) => Ok(Self { remaining_depth: room, ..self }),
            None => {
                self.too_deep.set(true);
                Err(E::custom("too deep"))
            }
        }
    }
}

fn value_from_kind(kind: Kind) -> Value {
    Value { kind: Some(kind) }
}

impl<'de> DeserializeSeed<'de> for ProtoValueReader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ProtoValueReader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(value_from_kind(Kind::NullValue(0)))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value_from_kind(Kind::BoolValue(value)))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        #[expect(clippy::cast_precision_loss, reason = "gRPC has doubles only; documented where users look")]
        Ok(value_from_kind(Kind::NumberValue(number as f64)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        #[expect(clippy::cast_precision_loss, reason = "gRPC has doubles only; documented where users look")]
        Ok(value_from_kind(Kind::NumberValue(number as f64)))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Value, E> {
        if number.is_finite() {
            Ok(value_from_kind(Kind::NumberValue(number)))
        } else {
            Err(E::custom("number out of range"))
        }
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(value_from_kind(Kind::StringValue(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(value_from_kind(Kind::StringValue(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let inside = self.descend(2)?;
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(inside)? {
            values.push(value);
        }
        Ok(value_from_kind(Kind::ListValue(ListValue { values })))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let inside = self.descend(3)?;
        let mut fields = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value_seed(inside)?;
            fields.insert(name, value);
        }
        Ok(value_from_kind(Kind::StructValue(Struct { fields })))
    }
}
