//! The metadata key that holds data without a 1.0 equivalent.

use crate::members::ObjectMembers;
use baton_types::{Json, Violations};
use std::collections::BTreeSet;

pub(super) const KEY: &str = "contextcore";

/// `metadata` with `own` added under the key.
pub(super) fn add(
    metadata: Option<Json>,
    own: ObjectMembers,
    path: impl FnOnce() -> String,
    violations: &mut Violations,
) -> Option<Json> {
    // Checked even if there is nothing to add: metadata that is only read now may be forwarded later.
    if metadata.as_ref().is_some_and(|json| !json.is_object()) {
        violations.add(path(), "must be a JSON object");
        return metadata;
    }
    if own.is_empty() {
        return metadata;
    }
    let mut members = metadata.as_ref().and_then(ObjectMembers::from_json).unwrap_or_default();
    let mut ours = match members.take(&[KEY]).filter(|json| json.as_str() != "null") {
        None => ObjectMembers::default(),
        Some(json) => match ObjectMembers::from_json(&json) {
            Some(ours) => ours,
            None => {
                violations.add(format!("{}.{KEY}", path()), "must be a JSON object");
                return metadata;
            }
        },
    };
    let names: BTreeSet<&str> = own.names().collect();
    drop(ours.split_off(|name, _| names.contains(name)));
    ours.extend(own);
    members.put(KEY, ours.into_json());
    Some(members.into_json())
}

/// Removes the members under the key that `chosen` selects; the rest of `metadata` keeps its text.
pub(super) fn extract(metadata: Option<Json>, chosen: impl Fn(&str, &Json) -> bool) -> (Option<Json>, ObjectMembers) {
    let read = metadata.as_ref().and_then(ObjectMembers::from_json);
    let Some(mut members) = read else { return (metadata, ObjectMembers::default()) };
    let Some(mut ours) = members.get(&[KEY]).and_then(ObjectMembers::from_json) else {
        return (metadata, ObjectMembers::default());
    };
    let lifted = ours.split_off(chosen);
    if lifted.is_empty() {
        return (metadata, lifted);
    }
    members.take(&[KEY]);
    if !ours.is_empty() {
        members.put(KEY, ours.into_json());
    }
    (Some(members).filter(|members| !members.is_empty()).map(ObjectMembers::into_json), lifted)
}

/// Whether a value is a JSON string, as most extracted values must be.
pub(super) fn is_text(value: &Json) -> bool {
    value.as_str().starts_with('"')
}
