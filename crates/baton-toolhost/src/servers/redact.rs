//! Redacts secrets in server data.

use crate::ServerLog;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Redacts secrets in all strings of a value; `None` if it cannot be converted.
pub(super) fn redact_secrets<T: Serialize + DeserializeOwned>(message: T, log: &ServerLog) -> Option<T> {
    if !log.has_secrets() {
        return Some(message);
    }
    let mut value = serde_json::to_value(&message).ok()?;
    match redact_value(&mut value, log) {
        true => serde_json::from_value(value).ok(),
        false => Some(message),
    }
}

/// Redacts in place; returns whether anything changed.
fn redact_value(value: &mut Value, log: &ServerLog) -> bool {
    match value {
        Value::String(text) => {
            let hidden = log.redact(text);
            let is_hidden = *hidden != **text;
            if is_hidden {
                *text = hidden.into_owned();
            }
            is_hidden
        }
        Value::Array(all) => all.iter_mut().fold(false, |any, entry| redact_value(entry, log) | any),
        Value::Object(members) => members.values_mut().fold(false, |any, member| redact_value(member, log) | any),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
