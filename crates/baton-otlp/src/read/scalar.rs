//! Numbers, ids and enums of OTLP JSON, in all forms that exporters use.

use crate::proto::{SpanKind, StatusCode};
use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde::{Deserialize, Deserializer, de};
use std::{fmt, marker::PhantomData, str::FromStr};

/// Integer, as a number or as text.
#[derive(Clone, Copy, Default)]
pub(super) struct JsonInteger<T>(pub(super) T);

/// Floating-point number, as a number or as text, including `NaN` and `Infinity`.
#[derive(Clone, Copy)]
pub(super) struct Double(pub(super) f64);

/// Id in hex. Invalid text becomes an id of the wrong length, so that only its span is rejected.
#[derive(Default)]
pub(super) struct HexId(pub(super) Vec<u8>);

/// Bytes in base64, in either alphabet.
pub(super) struct Base64(pub(super) Vec<u8>);

/// Span kind by number or name.
#[derive(Default)]
pub(super) struct KindNumber(pub(super) i32);

/// Status code by number or name.
#[derive(Default)]
pub(super) struct StatusNumber(pub(super) i32);

impl<'de, T> Deserialize<'de> for JsonInteger<T>
where
    T: FromStr + TryFrom<i128>,
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<T>(PhantomData<T>);
        impl<T: FromStr + TryFrom<i128>> de::Visitor<'_> for Visitor<T> {
            type Value = JsonInteger<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number within its range, or one as text")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<JsonInteger<T>, E> {
                self.fit(number.into())
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<JsonInteger<T>, E> {
                self.fit(number.into())
            }

            /// Languages with only double numbers write large integers with an exponent.
            fn visit_f64<E: de::Error>(self, number: f64) -> Result<JsonInteger<T>, E> {
                if number.fract() != 0.0 || number.abs() >= 2f64.powi(64) {
                    return Err(E::invalid_value(de::Unexpected::Float(number), &self));
                }
                self.fit(number as i128)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<JsonInteger<T>, E> {
                text.parse().map(JsonInteger).map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        impl<T: TryFrom<i128>> Visitor<T> {
            fn fit<E: de::Error>(self, number: i128) -> Result<JsonInteger<T>, E> {
                let fits = T::try_from(number).map(JsonInteger);
                fits.map_err(|_| E::custom(format_args!("the number {number} is out of range")))
            }
        }
        deserializer.deserialize_any(Visitor(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Double {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl de::Visitor<'_> for Visitor {
            type Value = Double;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or one as text")
            }

            fn visit_u64<E>(self, number: u64) -> Result<Double, E> {
                Ok(Double(number as f64))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Double, E> {
                Ok(Double(number as f64))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Double, E> {
                Ok(Double(number))
            }

            /// `NaN`, `Infinity` and `-Infinity` are valid input of Rust's parser.
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Double, E> {
                text.parse().map(Double).map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl<'de> Deserialize<'de> for HexId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(Self(hex(&text).unwrap_or_else(|| vec![0])))
    }
}

fn hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let byte = |[high, low]: &[u8; 2]| u8::try_from(digit(*high)? * 16 + digit(*low)?).ok();
    if rest.is_empty() { pairs.iter().map(byte).collect() } else { None }
}

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const LAX: GeneralPurposeConfig =
            GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
        let text = String::deserialize(deserializer)?;
        let alphabet = if text.contains(['-', '_']) { &alphabet::URL_SAFE } else { &alphabet::STANDARD };
        GeneralPurpose::new(alphabet, LAX).decode(&text).map(Self).map_err(de::Error::custom)
    }
}

/// An enum value: its number, its number as text, or its name; unknown names become zero.
struct EnumVisitor(fn(&str) -> Option<i32>);

impl de::Visitor<'_> for EnumVisitor {
    type Value = i32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the number or the name of an enum's member")
    }

    fn visit_u64<E>(self, number: u64) -> Result<i32, E> {
        Ok(i32::try_from(number).unwrap_or_default())
    }

    fn visit_i64<E>(self, number: i64) -> Result<i32, E> {
        Ok(i32::try_from(number).unwrap_or_default())
    }

    fn visit_str<E>(self, text: &str) -> Result<i32, E> {
        Ok((self.0)(text).or_else(|| text.parse().ok()).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for KindNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EnumVisitor(SpanKind::number_of)).map(Self)
    }
}

impl<'de> Deserialize<'de> for StatusNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EnumVisitor(StatusCode::number_of)).map(Self)
    }
}
