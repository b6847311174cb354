//! Validation of one value against one schema level, without nested values.

use super::check::ValuePath;
use serde_json::{Map, Number, Value};
use std::collections::HashSet;

/// Violations of the value itself, without its members or entries.
pub(super) fn check_value(keys: &Map<String, Value>, value: &Value, path: &ValuePath<'_>) -> Vec<String> {
    let kinds = kinds(keys);
    if !kinds.is_empty() && !kinds.iter().any(|kind| matches_type(kind, value)) {
        return vec![format!("{} must be {}, not {}", path.name(), join_types(&kinds), kind_of(value))];
    }
    let mut faults = Vec::new();
    if let Some(allowed) = keys.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let shown: Vec<String> = allowed.iter().take(20).map(Value::to_string).collect();
        faults.push(format!("{} must be one of {}", path.name(), shown.join(", ")));
    }
    if let Some(only) = keys.get("const")
        && only != value
    {
        faults.push(format!("{} must be {only}", path.name()));
    }
    match value {
        Value::Object(members) => object(keys, members, path, &mut faults),
        Value::Array(entries) => {
            check_size(keys, ("minItems", "maxItems"), entries.len(), "entries", path, &mut faults);
            let unique = keys.get("uniqueItems") == Some(&Value::Bool(true));
            let mut seen = HashSet::new();
            if unique && !entries.iter().all(|entry| seen.insert(entry)) {
                faults.push(format!("{} must not have the same entry twice", path.name()));
            }
        }
        Value::String(text) => {
            let limited = keys.contains_key("minLength") || keys.contains_key("maxLength");
            let length = if limited { text.chars().count() } else { 0 };
            if limited {
                check_size(keys, ("minLength", "maxLength"), length, "characters", path, &mut faults);
            }
        }
        Value::Number(number) => bounds(keys, number, path, &mut faults),
        Value::Null | Value::Bool(_) => {}
    }
    faults
}

fn object(keys: &Map<String, Value>, members: &Map<String, Value>, path: &ValuePath<'_>, faults: &mut Vec<String>) {
    let required = keys.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for name in required.filter(|name| !members.contains_key(*name)) {
        faults.push(format!("{} is missing", ValuePath::Member(path, name).name()));
    }
    check_size(keys, ("minProperties", "maxProperties"), members.len(), "members", path, faults);
    let dependent = keys.get("dependentRequired").and_then(Value::as_object).into_iter().flatten();
    for (present, needed) in dependent.filter(|(present, _)| members.contains_key(*present)) {
        let needed = needed.as_array().into_iter().flatten().filter_map(Value::as_str);
        for name in needed.filter(|name| !members.contains_key(*name)) {
            faults.push(format!("{} is missing; '{present}' needs it", ValuePath::Member(path, name).name()));
        }
    }
}

fn check_size(
    keys: &Map<String, Value>,
    (min, max): (&str, &str),
    size: usize,
    unit: &str,
    path: &ValuePath<'_>,
    faults: &mut Vec<String>,
) {
    let limit = |name: &str| keys.get(name).and_then(Value::as_u64).and_then(|limit| usize::try_from(limit).ok());
    if let Some(min) = limit(min).filter(|min| size < *min) {
        faults.push(format!("{} must have at least {min} {unit}", path.name()));
    }
    if let Some(max) = limit(max).filter(|max| size > *max) {
        faults.push(format!("{} must have at most {max} {unit}", path.name()));
    }
}

fn bounds(keys: &Map<String, Value>, number: &Number, path: &ValuePath<'_>, faults: &mut Vec<String>) {
    let Some(number) = number.as_f64() else { return };
    let limit = |name: &str| keys.get(name).and_then(Value::as_f64);
    let mut must = |holds: bool, requirement: String| {
        if !holds {
            faults.push(format!("{} must be {requirement}", path.name()));
        }
    };
    if let Some(min) = limit("minimum") {
        must(number >= min, format!("at least {min}"));
    }
    if let Some(max) = limit("maximum") {
        must(number <= max, format!("at most {max}"));
    }
    if let Some(above) = limit("exclusiveMinimum") {
        must(number > above, format!("more than {above}"));
    }
    if let Some(below) = limit("exclusiveMaximum") {
        must(number < below, format!("less than {below}"));
    }
    if let Some(step) = limit("multipleOf").filter(|step| *step > 0.0) {
        let times = number / step;
        must((times - times.round()).abs() < 1e-9, format!("a multiple of {step}"));
    }
}

fn kinds(keys: &Map<String, Value>) -> Vec<&str> {
    match keys.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn matches_type(kind: &str, value: &Value) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => true,
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
        Value::Number(number) if number.is_f64() => "a number with a fraction",
        Value::Number(_) => "a number",
    }
}

fn join_types(kinds: &[&str]) -> String {
    let names: Vec<String> = kinds
        .iter()
        .map(|kind| match *kind {
            "null" => "null".to_owned(),
            "array" | "object" | "integer" => format!("an {kind}"),
            other => format!("a {other}"),
        })
        .collect();
    names.join(" or ")
}
