//! Data that is not an object: unsupported in 0.3, so it is wrapped in a marked object.

use crate::members::ObjectMembers;
use baton_types::Json;

/// Marker in a part's metadata; Python's SDK uses the same one.
const MARKER: &str = "data_part_compat";
const VALUE_MEMBER: &str = "value";

/// Data and metadata in a form that 0.3 supports.
pub(super) fn wrap(data: Json, metadata: Option<Json>) -> (Json, Option<Json>) {
    if data.is_object() {
        return (data, metadata);
    }
    let mut metadata_members = metadata.as_ref().and_then(ObjectMembers::from_json).unwrap_or_default();
    metadata_members.take(&[MARKER]);
    metadata_members.put(MARKER, Json::from(serde_json::Value::Bool(true)));
    (ObjectMembers(vec![(VALUE_MEMBER.to_owned(), data)]).into_json(), Some(metadata_members.into_json()))
}

/// Reverses [`wrap`]; other data stays unchanged.
pub(super) fn unwrap(data: Json, metadata: Option<Json>) -> (Json, Option<Json>) {
    let Some(mut metadata_members) =
        metadata.as_ref().filter(|json| json.as_str().contains(MARKER)).and_then(ObjectMembers::from_json)
    else {
        return (data, metadata);
    };
    if metadata_members.get(&[MARKER]).is_none_or(|mark| mark.as_str() != "true") {
        return (data, metadata);
    }
    match ObjectMembers::from_json(&data).map(|members| members.0).as_deref() {
        Some([(name, value)]) if name == VALUE_MEMBER => {
            metadata_members.take(&[MARKER]);
            (value.clone(), (!metadata_members.is_empty()).then(|| metadata_members.into_json()))
        }
        _ => (data, metadata),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_wrapped_data_is_unwrapped() {
        let json = |text: &str| Json::parse(text).unwrap();
        for (data, metadata, wrapped, marked) in [
            ("1.50", None, r#"{"value":1.50}"#, Some(r#"{"data_part_compat":true}"#)),
            ("null", Some(r#"{"a":1e400}"#), r#"{"value":null}"#, Some(r#"{"a":1e400,"data_part_compat":true}"#)),
            (r#"{"value":1}"#, None, r#"{"value":1}"#, None),
            (r#"{"value":1}"#, Some("{}"), r#"{"value":1}"#, Some("{}")),
            (r#"{"a":1}"#, Some(r#"{"data_part_compat":true}"#), r#"{"a":1}"#, Some(r#"{"data_part_compat":true}"#)),
            (r#"{"value":1}"#, Some(r#"{"data_part_compat":1}"#), r#"{"value":1}"#, Some(r#"{"data_part_compat":1}"#)),
        ] {
            let given = (json(data), metadata.map(json));
            let out = wrap(given.0.clone(), given.1.clone());
            assert_eq!(out, (json(wrapped), marked.map(json)), "{data}");
            assert_eq!(unwrap(out.0, out.1), given, "{data}");
        }
    }
}
