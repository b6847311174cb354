//! Attributes and values in OTLP JSON.

use super::{
    list,
    number::{Real, Signed},
};
use baton_types::{AttributeKey, Attributes, SpanValue};
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Attribute {
    key: String,
    value: Option<Written>,
}

/// At most one member is present.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Written {
    string_value: Option<String>,
    bool_value: Option<bool>,
    int_value: Option<Signed>,
    double_value: Option<Real>,
    array_value: Option<Several>,
    kvlist_value: Option<Map>,
    bytes_value: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Several {
    values: Option<Vec<Written>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Map {
    values: Option<Vec<Attribute>>,
}

/// Converts to the stored form.
pub(super) fn attributes(written: Option<Vec<Attribute>>) -> Attributes {
    let taken = |written: Attribute| {
        (AttributeKey::Owned(written.key), written.value.map_or(SpanValue::Empty, SpanValue::from))
    };
    list(written).into_iter().map(taken).collect()
}

/// Attributes of spansets and series, with text keys.
pub(super) fn labels(written: Option<Vec<Attribute>>) -> Vec<(String, SpanValue)> {
    attributes(written).into_iter().map(|(key, value)| (key.into_owned(), value)).collect()
}

impl From<Written> for SpanValue {
    fn from(written: Written) -> Self {
        let text = written.string_value.map(Self::from);
        text.or_else(|| written.bool_value.map(Self::Bool))
            .or_else(|| written.int_value.map(|number| Self::Int(number.0)))
            .or_else(|| written.double_value.map(|number| Self::Float(number.0)))
            .or_else(|| {
                let several = |several: Several| list(several.values).into_iter().map(Self::from).collect();
                written.array_value.map(|array| Self::List(several(array)))
            })
            .or_else(|| written.kvlist_value.map(|map| Self::Map(attributes(map.values))))
            // Queries do not support bytes, so their base64 text is sufficient.
            .or_else(|| written.bytes_value.map(Self::from))
            .unwrap_or(Self::Empty)
    }
}
