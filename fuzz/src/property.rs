//! Properties of every accepted input.

use baton_wire::a2a::v1::{self, Error};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::fmt::Debug;

/// The text of a value; every value that can be read can be written.
pub(crate) fn to_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("a parsed value can be written")
}

/// The parameters in `text`; an error must be representable in every binding.
pub(crate) fn params<T: DeserializeOwned>(text: &str) -> Option<T> {
    accepted(v1::read_params_text(text))
}

/// The accepted value; an error must be representable in every binding without loss.
pub(crate) fn accepted<T>(result: Result<T, Error>) -> Option<T> {
    let error = match result {
        Ok(value) => return Some(value),
        Err(error) => error,
    };
    let object: v1::ErrorObject =
        serde_json::from_str(&to_text(&v1::ErrorObject::from(&error))).expect("an error can be read");
    assert_eq!(object.violations(), error.violations);
    assert_eq!(object.reason().as_deref(), Some(error.kind.reason()));
    to_text(&v1::RestError::from(&error));
    let status = baton_proto::status(&error);
    assert_eq!(baton_proto::error_from_status(&status, baton_types::ErrorCode::SHARED_CODES).violations, error.violations);
    None
}

/// Reads `text` and checks that the value survives writing and reading.
pub(crate) fn stable<T>(text: &str) -> Option<T>
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let value: T = serde_json::from_str(text).ok()?;
    assert_round_trip(&value);
    Some(value)
}

/// Checks that a value is the same after writing and reading.
pub(crate) fn assert_round_trip<T>(value: &T)
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let text = to_text(value);
    match serde_json::from_str::<T>(&text) {
        Ok(again) => assert_eq!(&again, value, "read from {text}"),
        Err(error) => panic!("the written value cannot be read: {error}: {text}"),
    }
}

/// Converts a value of an older dialect to 1.0 and back; everything the dialect can represent must be preserved.
pub(crate) fn assert_conversion<T, V>(
    value: T,
    into_v1: impl Fn(T) -> Result<V, Error>,
    from_v1: impl Fn(V) -> T,
) -> Option<V>
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
    V: Serialize + Clone + PartialEq + Debug,
{
    assert_round_trip(&value);
    let first = accepted(into_v1(value))?;
    assert_equivalent(&first, &round_trip(first.clone(), into_v1, from_v1));
    Some(first)
}

/// [`assert_conversion`] for a dialect that adds members its readers require; they must be added only once.
pub(crate) fn assert_conversion_with_additions<T, V>(
    value: T,
    into_v1: impl Fn(T) -> Result<V, Error>,
    from_v1: impl Fn(V) -> T,
) -> Option<V>
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
    V: Serialize + Clone + PartialEq + Debug,
{
    assert_round_trip(&value);
    let first = accepted(into_v1(value))?;
    let second = round_trip(first.clone(), &into_v1, &from_v1);
    assert_equivalent(&second, &round_trip(second.clone(), into_v1, from_v1));
    Some(first)
}

fn round_trip<T, V>(value: V, into_v1: impl Fn(T) -> Result<V, Error>, from_v1: impl Fn(V) -> T) -> V
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
    V: Clone + Debug,
{
    let out = from_v1(value.clone());
    assert_round_trip(&out);
    into_v1(out).unwrap_or_else(|error| panic!("the converted value cannot be converted back: {error}: {value:?}"))
}

/// Equality up to member order and the documented losses of the dialects.
pub(crate) fn assert_equivalent<V: Serialize + PartialEq + Debug>(first: &V, second: &V) {
    if first == second {
        return;
    }
    let tree = |value: &V| serde_json::from_str::<Value>(&to_text(value)).ok();
    // Numbers beyond a double and values nested deeper than servers accept cannot be compared.
    let (Some(mut first), Some(mut second)) = (tree(first), tree(second)) else { return };
    remove_known_losses(&mut first);
    remove_known_losses(&mut second);
    assert_eq!(first, second);
}

/// Removes the intended losses next to data that is not an object: the marker of 0.3, and metadata that is not an
/// object or is empty without the marker.
fn remove_known_losses(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(remove_known_losses),
        Value::Object(members) => {
            if members.get("data").is_some_and(|data| !data.is_object()) {
                let metadata = members.get_mut("metadata").and_then(Value::as_object_mut);
                let is_lost = metadata.is_none_or(|metadata| {
                    metadata.remove("data_part_compat");
                    metadata.is_empty()
                });
                if is_lost {
                    members.remove("metadata");
                }
            }
            members.values_mut().for_each(remove_known_losses);
        }
        _ => {}
    }
}
