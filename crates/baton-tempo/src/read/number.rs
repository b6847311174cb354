//! Numbers encoded as JSON numbers or as text.

use serde::{Deserialize, Deserializer, de::Error as _};
use std::str::FromStr;

#[derive(Deserialize)]
#[serde(untagged)]
enum NumberOrText<N> {
    Number(N),
    Text(String),
}

fn read_number<'de, N, D>(deserializer: D) -> Result<N, D::Error>
where
    N: Deserialize<'de> + FromStr,
    D: Deserializer<'de>,
{
    match NumberOrText::deserialize(deserializer)? {
        NumberOrText::Number(number) => Ok(number),
        NumberOrText::Text(text) => text.parse().map_err(|_| D::Error::custom(format!("'{text}' is not a number"))),
    }
}

/// Unsigned integer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JsonU64(pub(super) u64);

/// Signed integer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JsonI64(pub(super) i64);

/// Floating-point number, including `NaN` and `Infinity`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JsonF64(pub(super) f64);

impl<'de> Deserialize<'de> for JsonU64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_number(deserializer).map(Self)
    }
}

impl<'de> Deserialize<'de> for JsonI64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_number(deserializer).map(Self)
    }
}

impl<'de> Deserialize<'de> for JsonF64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_number(deserializer).map(Self)
    }
}
