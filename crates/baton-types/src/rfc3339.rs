//! Timestamps as RFC 3339 text with milliseconds and `Z`, for `#[serde(with = "...")]`.

use crate::Timestamp;
use serde::{Deserialize, Deserializer, Serializer, de};
use std::borrow::Cow;

/// Writes the text, or `null`.
pub fn serialize<S: Serializer>(at: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => serializer.collect_str(at),
        None => serializer.serialize_none(),
    }
}

/// Reads the text with any offset, or `null`.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    match Option::<Cow<'_, str>>::deserialize(deserializer)? {
        Some(text) => Timestamp::parse(&text).map(Some).map_err(de::Error::custom),
        None => Ok(None),
    }
}
