//! Deserializers with ProtoJSON semantics: `null` is absent, objects must be objects, integers may be strings.

use baton_types::Json;
use serde::{
    Deserialize, Deserializer,
    de::{self, MapAccess, Visitor, value::MapAccessDeserializer},
};
use std::{fmt, marker::PhantomData};

/// A value that must be a JSON object. Derived deserializers alone would also accept arrays.
struct StrictObject<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for StrictObject<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StrictObjectVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for StrictObjectVisitor<T> {
            type Value = StrictObject<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(StrictObject)
            }
        }
        deserializer.deserialize_map(StrictObjectVisitor(PhantomData))
    }
}

/// A required object.
pub(crate) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    StrictObject::deserialize(deserializer).map(|StrictObject(value)| value)
}

/// An object or `null`.
pub(crate) fn maybe_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<StrictObject<T>>::deserialize(deserializer)?.map(|StrictObject(value)| value))
}

/// An array of objects; `null` is empty.
pub(crate) fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(maybe_objects(deserializer)?.unwrap_or_default())
}

/// An array of objects or `null`.
pub(crate) fn maybe_objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    let list = Option::<Vec<StrictObject<T>>>::deserialize(deserializer)?;
    Ok(list.map(|list| list.into_iter().map(|StrictObject(value)| value).collect()))
}

/// Any value; `null` becomes the default.
pub(crate) fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// Any JSON value, including `null`, which is valid content of a data part.
pub(crate) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

/// An integer, as a number or as a string of digits.
pub(crate) fn maybe_integer<'de, D: Deserializer<'de>, T: TryFrom<i64>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    struct Integer;
    impl<'de> Visitor<'de> for Integer {
        type Value = Option<i64>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an integer")
        }

        fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
            Ok(Some(value))
        }

        fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
            i64::try_from(value).map(Some).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
        }

        fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
            if value.fract() == 0.0 && value.abs() <= f64::from(i32::MAX) {
                #[expect(clippy::cast_possible_truncation, reason = "whole and in range, checked above")]
                return Ok(Some(value as i64));
            }
            Err(E::invalid_value(de::Unexpected::Float(value), &self))
        }

        fn visit_str<E: de::Error>(self, value: &str) -> Result<Self::Value, E> {
            value.parse().map(Some).map_err(|_| E::invalid_value(de::Unexpected::Str(value), &self))
        }
    }
    match deserializer.deserialize_any(Integer)? {
        None => Ok(None),
        Some(number) => T::try_from(number)
            .map(Some)
            .map_err(|_| de::Error::invalid_value(de::Unexpected::Signed(number), &"a smaller integer")),
    }
}
