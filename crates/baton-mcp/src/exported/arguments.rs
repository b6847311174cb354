//! Whether arguments fit the schema of a tool.
//!
//! Checked is what people write by hand: types, required members, choices, bounds, nested objects and lists. What a
//! schema says beyond that is left to the agent that reads the arguments. No reference is ever followed.

use rmcp::model::JsonObject;
use serde_json::Value;

/// Mistakes that are told at once.
const MOST: usize = 5;

/// How deep values are looked into.
const DEEPEST: usize = 32;

/// What does not fit, in words for whoever made the call.
pub(super) fn mistakes(schema: &Value, arguments: &JsonObject) -> Vec<String> {
    let mut check = Check { mistakes: Vec::new() };
    check.members(schema, arguments, "", 0);
    check.mistakes.truncate(MOST);
    check.mistakes
}

/// The parameters that a schema names.
pub(super) fn declared(schema: &Value) -> JsonObject {
    schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// Takes out the optional ones that were given as null, as models do with what they leave out.
pub(super) fn without_nulls(schema: &Value, mut arguments: JsonObject) -> JsonObject {
    let required = texts(schema.get("required"));
    arguments.retain(|name, value| !value.is_null() || required.contains(&name.as_str()));
    arguments
}

fn texts(list: Option<&Value>) -> Vec<&str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

struct Check {
    mistakes: Vec<String>,
}

impl Check {
    fn say(&mut self, at: &str, what: impl AsRef<str>) {
        if self.mistakes.len() <= MOST {
            let at = if at.is_empty() { "the arguments" } else { at };
            self.mistakes.push(format!("{at} {}", what.as_ref()));
        }
    }

    fn members(&mut self, schema: &Value, object: &JsonObject, at: &str, depth: usize) {
        for name in texts(schema.get("required")) {
            if !object.contains_key(name) {
                self.say(&inside(at, name), "is missing");
            }
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        for (name, value) in object {
            let at = inside(at, name);
            match (properties.and_then(|properties| properties.get(name)), others) {
                (Some(schema), _) => self.value(schema, value, &at, depth + 1),
                (None, Some(Value::Bool(false))) => self.say(&at, "is not a parameter"),
                (None, Some(schema)) => self.value(schema, value, &at, depth + 1),
                (None, None) => {}
            }
        }
    }

    fn value(&mut self, schema: &Value, value: &Value, at: &str, depth: usize) {
        if depth > DEEPEST || self.mistakes.len() > MOST {
            return;
        }
        let types = match schema.get("type") {
            Some(Value::String(one)) => vec![one.as_str()],
            several => texts(several),
        };
        if !types.is_empty() && !types.iter().any(|kind| is_of(kind, value)) {
            return self.say(at, format!("must be of type {}", types.join(" or ")));
        }
        if let Some(choices) = schema.get("enum").and_then(Value::as_array)
            && !choices.contains(value)
        {
            let choices: Vec<String> = choices.iter().take(20).map(Value::to_string).collect();
            return self.say(at, format!("must be one of {}", choices.join(", ")));
        }
        if let Some(only) = schema.get("const")
            && only != value
        {
            return self.say(at, format!("must be {only}"));
        }
        self.bounds(schema, value, at);
        match value {
            Value::Object(object) => self.members(schema, object, at, depth),
            Value::Array(items) => {
                if let Some(schema) = schema.get("items") {
                    for (index, item) in items.iter().enumerate() {
                        self.value(schema, item, &format!("{at}[{index}]"), depth + 1);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn bounds(&mut self, schema: &Value, value: &Value, at: &str) {
        let (size, least, most, what) = match value {
            #[expect(clippy::cast_precision_loss, reason = "no text or list is long enough to lose a digit")]
            Value::String(text) => (text.chars().count() as f64, "minLength", "maxLength", "characters"),
            #[expect(clippy::cast_precision_loss, reason = "no text or list is long enough to lose a digit")]
            Value::Array(items) => (items.len() as f64, "minItems", "maxItems", "entries"),
            Value::Number(number) => match number.as_f64() {
                Some(number) => (number, "minimum", "maximum", ""),
                None => return,
            },
            Value::Null | Value::Bool(_) | Value::Object(_) => return,
        };
        let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
        let have = |verb: &str, limit: f64| match what {
            "" => format!("must be at {verb} {limit}"),
            what => format!("must have at {verb} {limit} {what}"),
        };
        if let Some(least) = bound(least).filter(|least| size < *least) {
            self.say(at, have("least", least));
        }
        if let Some(most) = bound(most).filter(|most| size > *most) {
            self.say(at, have("most", most));
        }
    }
}

fn inside(at: &str, name: &str) -> String {
    let name: String = name.chars().take(64).collect();
    if at.is_empty() { name } else { format!("{at}.{name}") }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "object" => value.is_object(),
        "array" => value.is_array(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        // A type that nobody knows is no reason to refuse.
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_does_not_fit_is_named() {
        let schema = json!({
            "type": "object",
            "properties": {
                "city": {"type": "string", "minLength": 2},
                "days": {"type": "integer", "minimum": 1, "maximum": 7},
                "unit": {"enum": ["C", "F"]},
                "place": {"type": "object", "properties": {"lat": {"type": "number"}}, "required": ["lat"]},
                "tags": {"type": ["array", "null"], "items": {"type": "string"}, "maxItems": 2},
                "kind": {"const": "short"},
            },
            "required": ["city"],
            "additionalProperties": false,
        });
        for (given, expect) in [
            (json!({"city": "Oakland"}), &[][..]),
            (json!({"city": "Oakland", "days": 2.0, "unit": "C", "tags": null, "place": {"lat": 1, "x": 2}}), &[]),
            (json!({}), &["city is missing"]),
            (json!({"city": 7}), &["city must be of type string"]),
            (json!({"city": "O"}), &["city must have at least 2 characters"]),
            (json!({"city": "Oakland", "days": 2.5}), &["days must be of type integer"]),
            (json!({"city": "Oakland", "days": 9}), &["days must be at most 7"]),
            (json!({"city": "Oakland", "unit": "K"}), &["unit must be one of \"C\", \"F\""]),
            (json!({"city": "Oakland", "place": {}}), &["place.lat is missing"]),
            (json!({"city": "Oakland", "tags": ["a", 1]}), &["tags[1] must be of type string"]),
            (json!({"city": "Oakland", "tags": ["a", "b", "c"]}), &["tags must have at most 2 entries"]),
            (json!({"city": "Oakland", "kind": "long"}), &["kind must be \"short\""]),
            (json!({"city": "Oakland", "zip": 1}), &["zip is not a parameter"]),
        ] {
            assert_eq!(mistakes(&schema, given.as_object().unwrap()), expect, "{given}");
        }
    }

    #[test]
    fn mistakes_are_bounded() {
        let schema = json!({"additionalProperties": {"type": "string"}});
        let given: JsonObject = (0..1000).map(|n| (n.to_string(), json!(n))).collect();
        assert_eq!(mistakes(&schema, &given).len(), MOST);
    }
}
