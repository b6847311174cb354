//! JSON as `google.protobuf.Struct` and `Value`: names in order, numbers as doubles.

use crate::fault::{Carried, Fault};
use baton_types::{Json, MAX_JSON_DEPTH};
use prost_types::{ListValue, Struct, Value, value::Kind};
use serde::{
    Serialize, Serializer,
    de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor},
};
use std::{cell::Cell, collections::BTreeMap, fmt};

/// Nested messages that one JSON value may take.
///
/// Every protobuf reader gives up after 100, of which the way to the value takes up to six; an object takes three
/// (value, struct, entry) and an array two. Deeper values travel over JSON only.
const ROOM: usize = 90;

/// Largest whole number up to which doubles are exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Any JSON value; digits beyond those of a double are rounded, and a number beyond its range is refused.
pub(crate) fn value_of(json: &Json) -> Carried<Value> {
    let deep = Cell::new(false);
    let mut text = serde_json::Deserializer::from_str(json.as_str());
    Reader { room: ROOM, deep: &deep }.deserialize(&mut text).map_err(|error| {
        if deep.get() {
            return Fault::too_deep();
        }
        let error = error.to_string();
        Fault::new(error.split(" at line ").next().unwrap_or_default().to_owned())
    })
}

/// A JSON object.
pub(crate) fn struct_of(json: &Json) -> Carried<Struct> {
    match value_of(json)?.kind {
        Some(Kind::StructValue(fields)) => Ok(fields),
        _ => Err(Fault::new("must be a JSON object")),
    }
}

/// The value as JSON text; whole numbers up to 2^53 are written as integers.
pub(crate) fn json_of(value: &Value) -> Carried<Json> {
    check(value, MAX_JSON_DEPTH)?;
    Json::of(&Written(value)).map_err(|error| Fault::new(error.to_string()))
}

/// The object as JSON text.
pub(crate) fn object_of(fields: Struct) -> Carried<Json> {
    json_of(&Value { kind: Some(Kind::StructValue(fields)) })
}

fn check(value: &Value, room: usize) -> Carried<()> {
    match &value.kind {
        None => Err(Fault::new("has a value without a kind")),
        Some(Kind::NumberValue(number)) if !number.is_finite() => Err(Fault::new("numbers must be finite")),
        Some(Kind::ListValue(list)) => {
            let room = room.checked_sub(1).ok_or_else(Fault::too_deep)?;
            list.values.iter().try_for_each(|value| check(value, room))
        }
        Some(Kind::StructValue(fields)) => {
            let room = room.checked_sub(1).ok_or_else(Fault::too_deep)?;
            fields.fields.values().try_for_each(|value| check(value, room))
        }
        Some(_) => Ok(()),
    }
}

/// A checked value on its way to JSON text.
struct Written<'a>(&'a Value);

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0.kind {
            None | Some(Kind::NullValue(_)) => serializer.serialize_unit(),
            Some(Kind::BoolValue(value)) => serializer.serialize_bool(*value),
            Some(Kind::StringValue(text)) => serializer.serialize_str(text),
            Some(Kind::ListValue(list)) => serializer.collect_seq(list.values.iter().map(Written)),
            Some(Kind::StructValue(fields)) => {
                serializer.collect_map(fields.fields.iter().map(|(name, value)| (name, Written(value))))
            }
            Some(Kind::NumberValue(number)) => {
                let negative_zero = *number == 0.0 && number.is_sign_negative();
                if number.fract() == 0.0 && number.abs() <= EXACT && !negative_zero {
                    #[expect(clippy::cast_possible_truncation, reason = "whole and in range, checked above")]
                    return serializer.serialize_i64(*number as i64);
                }
                serializer.serialize_f64(*number)
            }
        }
    }
}

/// Reads JSON text into a value without a tree in between.
#[derive(Clone, Copy)]
struct Reader<'a> {
    room: usize,
    deep: &'a Cell<bool>,
}

impl Reader<'_> {
    fn inside<E: serde::de::Error>(self, taken: usize) -> Result<Self, E> {
        match self.room.checked_sub(taken) {
            Some(room) => Ok(Self { room, ..self }),
            None => {
                self.deep.set(true);
                Err(E::custom("too deep"))
            }
        }
    }
}

fn of(kind: Kind) -> Value {
    Value { kind: Some(kind) }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(of(Kind::NullValue(0)))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(of(Kind::BoolValue(value)))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        #[expect(clippy::cast_precision_loss, reason = "gRPC has doubles only; documented where users look")]
        Ok(of(Kind::NumberValue(number as f64)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        #[expect(clippy::cast_precision_loss, reason = "gRPC has doubles only; documented where users look")]
        Ok(of(Kind::NumberValue(number as f64)))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Value, E> {
        if number.is_finite() { Ok(of(Kind::NumberValue(number))) } else { Err(E::custom("number out of range")) }
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(of(Kind::StringValue(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(of(Kind::StringValue(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let inside = self.inside(2)?;
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(inside)? {
            values.push(value);
        }
        Ok(of(Kind::ListValue(ListValue { values })))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let inside = self.inside(3)?;
        let mut fields = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value_seed(inside)?;
            fields.insert(name, value);
        }
        Ok(of(Kind::StructValue(Struct { fields })))
    }
}
