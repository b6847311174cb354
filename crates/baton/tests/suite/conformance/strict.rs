//! What the schema allows, and nothing else.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Fails unless the value is one of `T`, with no member that `T` does not have, in the form in which it is written.
pub(super) fn strict<T: DeserializeOwned + Serialize>(value: &Value) {
    let read: T = serde_json::from_str(&value.to_string()).unwrap_or_else(|error| panic!("{error}: {value}"));
    let written: Value = serde_json::from_str(&serde_json::to_string(&read).expect("JSON")).expect("JSON");
    assert_eq!(*value, written, "there is more or less in it than the schema has");
    habits(value);
}

/// Names without underscores, enumerations by name, moments in UTC.
fn habits(value: &Value) {
    match value {
        Value::Array(list) => list.iter().for_each(habits),
        Value::Object(members) => {
            for (name, inner) in members {
                // What callers and agents put there is theirs.
                if matches!(name.as_str(), "metadata" | "data" | "params") {
                    continue;
                }
                assert!(!name.contains('_'), "{name} in {value}");
                match name.as_str() {
                    "state" => assert!(inner.as_str().is_some_and(|state| state.starts_with("TASK_STATE_")), "{inner}"),
                    "role" => assert!(inner.as_str().is_some_and(|role| role.starts_with("ROLE_")), "{inner}"),
                    "timestamp" => assert!(inner.as_str().is_some_and(|at| at.ends_with('Z')), "{inner}"),
                    _ => {}
                }
                habits(inner);
            }
        }
        _ => {}
    }
}
