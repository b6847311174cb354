//! Sample values for a JSON Schema; the same schema and seed always give the same value.

use serde_json::{Map, Number, Value, json};
use std::cell::Cell;

const MAX_DEPTH: usize = 16;
const MAX_VALUES: usize = 2000;

/// A value that fits `schema` with respect to types, enums, bounds and required properties; patterns are ignored.
pub fn sample_value(schema: &Value, seed: u64) -> Value {
    SampleGenerator { root: schema, left: Cell::new(MAX_VALUES) }.value(schema, seed, 0)
}

struct SampleGenerator<'a> {
    root: &'a Value,
    left: Cell<usize>,
}

impl SampleGenerator<'_> {
    fn value(&self, schema: &Value, seed: u64, depth: usize) -> Value {
        if depth > MAX_DEPTH || self.left.get() == 0 {
            return Value::Null;
        }
        self.left.set(self.left.get() - 1);
        let Some(keys) = schema.as_object() else { return word(seed).into() };
        if let Some(value) = explicit_value(keys, seed) {
            return value;
        }
        if let Some(combined) = self.combine(keys) {
            return self.value(&combined, seed, depth + 1);
        }
        match kind(keys) {
            "object" => self.object(keys, seed, depth),
            "array" => self.array(keys, seed, depth),
            "integer" => integer(keys, seed),
            "number" => number(keys, seed),
            "boolean" => (seed.is_multiple_of(2)).into(),
            "null" => Value::Null,
            _ => text(keys, seed).into(),
        }
    }

    /// The schema with its first reference, alternative or conjunction merged in.
    fn combine(&self, keys: &Map<String, Value>) -> Option<Value> {
        let mut base = keys.clone();
        if let Some(Value::String(reference)) = base.remove("$ref") {
            let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            return Some(merge(base, target.unwrap_or(&Value::Null)));
        }
        if let Some(Value::Array(all)) = base.remove("allOf") {
            let merged = all.iter().fold(Value::Object(base), |merged, part| match merged {
                Value::Object(map) => merge(map, part),
                other => other,
            });
            return Some(merged);
        }
        for key in ["oneOf", "anyOf"] {
            if let Some(Value::Array(choices)) = base.remove(key) {
                let choice = choices.iter().find(|choice| choice.get("type") != Some(&json!("null")));
                return Some(merge(base, choice.or(choices.first()).unwrap_or(&Value::Null)));
            }
        }
        None
    }

    /// Required properties, or all properties if the schema does not list required ones.
    fn object(&self, keys: &Map<String, Value>, seed: u64, depth: usize) -> Value {
        let empty = Map::new();
        let properties = keys.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let names: Vec<&str> = match keys.get("required").and_then(Value::as_array) {
            Some(required) => required.iter().filter_map(Value::as_str).collect(),
            None => properties.keys().map(String::as_str).collect(),
        };
        let additional = keys.get("additionalProperties").unwrap_or(&Value::Null);
        let members = names.into_iter().map(|name| {
            let schema = properties.get(name).unwrap_or(additional);
            (name.to_owned(), self.value(schema, mix(seed, name), depth + 1))
        });
        Value::Object(members.collect())
    }

    fn array(&self, keys: &Map<String, Value>, seed: u64, depth: usize) -> Value {
        let bound = |key| keys.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let first = keys.get("prefixItems").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let min_items = bound("minItems").unwrap_or(1).max(first.len());
        let length = min_items.min(bound("maxItems").unwrap_or(usize::MAX)).min(self.left.get());
        let items = keys.get("items").unwrap_or(&Value::Null);
        let entries = (0..length).map(|index| {
            let schema = first.get(index).unwrap_or(items);
            self.value(schema, mix(seed, &index.to_string()), depth + 1)
        });
        entries.collect()
    }
}

/// A value that the schema specifies explicitly.
fn explicit_value(keys: &Map<String, Value>, seed: u64) -> Option<Value> {
    if let Some(value) = keys.get("const") {
        return Some(value.clone());
    }
    if let Some(values) = keys.get("enum").and_then(Value::as_array).filter(|values| !values.is_empty()) {
        return Some(pick(values, seed).clone());
    }
    if let Some(value) = keys.get("default") {
        return Some(value.clone());
    }
    let examples = keys.get("examples").and_then(Value::as_array).filter(|values| !values.is_empty());
    examples.map(|values| pick(values, seed).clone()).or_else(|| keys.get("example").cloned())
}

fn kind(keys: &Map<String, Value>) -> &str {
    match keys.get("type") {
        Some(Value::String(kind)) => kind,
        Some(Value::Array(kinds)) => {
            let kinds = kinds.iter().filter_map(Value::as_str);
            kinds.clone().find(|kind| *kind != "null").unwrap_or("null")
        }
        _ if ["properties", "required", "additionalProperties"].iter().any(|key| keys.contains_key(*key)) => "object",
        _ if ["items", "prefixItems", "minItems"].iter().any(|key| keys.contains_key(*key)) => "array",
        _ if ["minimum", "maximum", "multipleOf"].iter().any(|key| keys.contains_key(*key)) => "number",
        _ => "string",
    }
}

/// Merges `addition` into `base`; properties and required names are combined.
fn merge(mut base: Map<String, Value>, addition: &Value) -> Value {
    for (key, value) in addition.as_object().into_iter().flatten() {
        match (key.as_str(), base.get_mut(key), value) {
            ("properties", Some(Value::Object(have)), Value::Object(more)) => {
                have.extend(more.iter().map(|(name, schema)| (name.clone(), schema.clone())));
            }
            ("required", Some(Value::Array(have)), Value::Array(more)) => have.extend(more.iter().cloned()),
            _ => {
                base.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(base)
}

fn integer(keys: &Map<String, Value>, seed: u64) -> Value {
    let (low, high) = bounds(keys);
    let floor = |n: f64| n.clamp(-9e15, 9e15) as i64;
    let low = low.map(|(n, open)| if open && n.fract() == 0.0 { floor(n) + 1 } else { floor(n.ceil()) });
    let high = high.map(|(n, open)| if open && n.fract() == 0.0 { floor(n) - 1 } else { floor(n.floor()) });
    let start = low.or(high.map(|high| high.min(1))).unwrap_or(1);
    let span = high.unwrap_or(start.saturating_add(99)).saturating_sub(start).clamp(0, 99);
    let value = start + i64::try_from(seed % (span.unsigned_abs() + 1)).unwrap_or_default();
    match keys.get("multipleOf").and_then(Value::as_i64).filter(|step| *step > 0) {
        Some(step) => {
            let down = value.div_euclid(step) * step;
            let fits = low.is_none_or(|low| down >= low);
            (if fits { down } else { down + step }).into()
        }
        None => value.into(),
    }
}

fn number(keys: &Map<String, Value>, seed: u64) -> Value {
    if keys.contains_key("multipleOf") {
        return integer(keys, seed);
    }
    let share = (seed % 98 + 1) as f64 / 99.0;
    let value = match bounds(keys) {
        (Some((low, _)), Some((high, _))) if low == high => low,
        (Some((low, _)), Some((high, _))) => low + (high - low) * share,
        (Some((low, _)), None) => low + 100.0 * share,
        (None, Some((high, _))) => high - 100.0 * share,
        (None, None) => 100.0 * share,
    };
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// A bound, and whether it is exclusive.
type NumericBound = Option<(f64, bool)>;

/// Lower and upper bound.
fn bounds(keys: &Map<String, Value>) -> (NumericBound, NumericBound) {
    let of = |key| keys.get(key).and_then(Value::as_f64);
    let low = [of("minimum").map(|n| (n, false)), of("exclusiveMinimum").map(|n| (n, true))];
    let high = [of("maximum").map(|n| (n, false)), of("exclusiveMaximum").map(|n| (n, true))];
    let tightest = |a: (f64, bool), b: (f64, bool), sign: f64| match (a.0 - b.0) * sign {
        difference if difference > 0.0 => a,
        difference if difference < 0.0 => b,
        _ => (a.0, a.1 || b.1),
    };
    (
        low.into_iter().flatten().reduce(|a, b| tightest(a, b, 1.0)),
        high.into_iter().flatten().reduce(|a, b| tightest(a, b, -1.0)),
    )
}

fn text(keys: &Map<String, Value>, seed: u64) -> String {
    const MAX_TEXT: u64 = 10_000;
    let length = |key| keys.get(key).and_then(Value::as_u64);
    let mut text = match keys.get("format").and_then(Value::as_str) {
        Some("date-time") => "2026-01-15T12:00:00Z".to_owned(),
        Some("date") => "2026-01-15".to_owned(),
        Some("time") => "12:00:00Z".to_owned(),
        Some("duration") => "PT1H".to_owned(),
        Some("email") => format!("{}@example.com", word(seed)),
        Some("uri" | "url") => format!("https://example.com/{}", word(seed)),
        Some("hostname") => "example.com".to_owned(),
        Some("ipv4") => "192.0.2.1".to_owned(),
        Some("ipv6") => "2001:db8::1".to_owned(),
        Some("uuid") => format!("00000000-0000-4000-8000-{:012x}", seed & 0xffff_ffff_ffff),
        _ => word(seed).to_owned(),
    };
    let min_length = usize::try_from(length("minLength").unwrap_or(0).min(MAX_TEXT)).unwrap_or_default();
    let max_length = length("maxLength").and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
    while text.chars().count() < min_length {
        text.push_str(" more");
    }
    text.chars().take(max_length).collect()
}

fn word(seed: u64) -> &'static str {
    const WORDS: [&str; 8] = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor"];
    pick::<&str>(&WORDS, seed)
}

fn pick<T>(values: &[T], seed: u64) -> &T {
    let index = seed % (values.len() as u64).max(1);
    &values[usize::try_from(index).unwrap_or_default()]
}

/// FNV-1a, implemented here because the hashers of the standard library may change between releases.
fn mix(seed: u64, part: &str) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(part.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
