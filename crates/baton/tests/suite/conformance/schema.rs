//! Strict validation of values against the schema.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Fails unless the value is a `T` without unknown members, in canonical form.
pub(super) fn assert_schema<T: DeserializeOwned + Serialize>(value: &Value) {
    let read: T = serde_json::from_str(&value.to_string()).unwrap_or_else(|error| panic!("{error}: {value}"));
    let written: Value = serde_json::from_str(&serde_json::to_string(&read).expect("JSON")).expect("JSON");
    assert_eq!(*value, written, "members differ from the schema");
    assert_conventions(value);
}

/// Checks that names have no underscores, enumerations are names and timestamps are in UTC.
fn assert_conventions(value: &Value) {
    match value {
        Value::Array(list) => list.iter().for_each(assert_conventions),
        Value::Object(members) => {
            for (name, inner) in members {
                // Free-form content of callers and agents.
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
                assert_conventions(inner);
            }
        }
        _ => {}
    }
}
