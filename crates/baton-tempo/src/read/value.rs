//! Attributes and values in OTLP JSON.

use super::{
    list,
    number::{JsonF64, JsonI64},
};
use baton_types::{AttributeKey, Attributes, SpanValue};
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TempoAttribute {
    key: String,
    value: Option<TempoAnyValue>,
}

/// At most one member is present.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct TempoAnyValue {
    string_value: Option<String>,
    bool_value: Option<bool>,
    int_value: Option<JsonI64>,
    double_value: Option<JsonF64>,
    array_value: Option<TempoArrayValue>,
    kvlist_value: Option<TempoKeyValueList>,
    bytes_value: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TempoArrayValue {
    values: Option<Vec<TempoAnyValue>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TempoKeyValueList {
    values: Option<Vec<TempoAttribute>>,
}

/// Converts to the stored form.
pub(super) fn attributes(written: Option<Vec<TempoAttribute>>) -> Attributes {
    let pair = |written: TempoAttribute| {
        (AttributeKey::Owned(written.key), written.value.map_or(SpanValue::Empty, SpanValue::from))
    };
    list(written).into_iter().map(pair).collect()
}

/// Attributes of spansets and series, with text keys.
pub(super) fn labels(written: Option<Vec<TempoAttribute>>) -> Vec<(String, SpanValue)> {
    attributes(written).into_iter().map(|(key, value)| (key.into_owned(), value)).collect()
}

impl From<TempoAnyValue> for SpanValue {
    fn from(written: TempoAnyValue) -> Self {
        let text = written.string_value.map(Self::from);
        text.or_else(|| written.bool_value.map(Self::Bool))
            .or_else(|| written.int_value.map(|number| Self::Int(number.0)))
            .or_else(|| written.double_value.map(|number| Self::Float(number.0)))
            .or_else(|| {
                let several = |several: TempoArrayValue| list(several.values).into_iter().map(Self::from).collect();
                written.array_value.map(|array| Self::List(several(array)))
            })
            .or_else(|| written.kvlist_value.map(|map| Self::Map(attributes(map.values))))
            // Queries do not support bytes, so their base64 text is sufficient.
            .or_else(|| written.bytes_value.map(Self::from))
            .unwrap_or(Self::Empty)
    }
}
