//! Numbers encoded as JSON numbers or as text.

use serde::{Deserialize, Deserializer, de::Error as _};
use std::str::FromStr;

#[derive(Deserialize)]
#[serde(untagged)]
enum Written<N> {
    Number(N),
    Text(String),
}

fn read<'de, N, D>(deserializer: D) -> Result<N, D::Error>
where
    N: Deserialize<'de> + FromStr,
    D: Deserializer<'de>,
{
    match Written::deserialize(deserializer)? {
        Written::Number(number) => Ok(number),
        Written::Text(text) => text.parse().map_err(|_| D::Error::custom(format!("'{text}' is not a number"))),
    }
}

/// Unsigned integer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Whole(pub(super) u64);

/// Signed integer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signed(pub(super) i64);

/// Floating-point number, including `NaN` and `Infinity`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Real(pub(super) f64);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer).map(Self)
    }
}

impl<'de> Deserialize<'de> for Signed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer).map(Self)
    }
}

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer).map(Self)
    }
}
