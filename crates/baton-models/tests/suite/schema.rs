//! Sample values match their schemas.

use baton_models::sample_value;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// The subset of JSON Schema that samples support.
fn fits(schema: &Value, value: &Value) -> bool {
    let Some(keys) = schema.as_object() else { return true };
    let number = |key: &str| keys.get(key).and_then(Value::as_f64);
    let length = |key: &str| keys.get(key).and_then(Value::as_u64).map(|n| n as usize);
    let within = |n: usize, low, high| length(low).is_none_or(|l| n >= l) && length(high).is_none_or(|h| n <= h);
    let kind_fits = match keys.get("type").and_then(Value::as_str) {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        _ => true,
    };
    let number_fits = value.as_f64().is_none_or(|n| {
        number("minimum").is_none_or(|low| n >= low)
            && number("maximum").is_none_or(|high| n <= high)
            && number("exclusiveMinimum").is_none_or(|low| n > low)
            && number("exclusiveMaximum").is_none_or(|high| n < high)
    });
    let properties = keys.get("properties").and_then(Value::as_object);
    kind_fits
        && number_fits
        && keys.get("const").is_none_or(|only| only == value)
        && keys.get("enum").and_then(Value::as_array).is_none_or(|all| all.contains(value))
        && value.as_str().is_none_or(|text| within(text.chars().count(), "minLength", "maxLength"))
        && value.as_array().is_none_or(|items| {
            within(items.len(), "minItems", "maxItems")
                && items.iter().all(|item| keys.get("items").is_none_or(|schema| fits(schema, item)))
        })
        && value.as_object().is_none_or(|map| {
            let required = keys.get("required").and_then(Value::as_array);
            required.is_none_or(|names| names.iter().all(|name| map.contains_key(name.as_str().unwrap_or_default())))
                && map.iter().all(|(name, value)| {
                    properties.and_then(|all| all.get(name)).is_none_or(|schema| fits(schema, value))
                })
        })
        && ["anyOf", "oneOf"].iter().all(|key| {
            keys.get(*key).and_then(Value::as_array).is_none_or(|all| all.iter().any(|schema| fits(schema, value)))
        })
}

fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "null"})),
        Just(json!({"const": [1, "a"]})),
        Just(json!({"enum": ["a", 2, null]})),
        Just(json!({"type": "string", "format": "email"})),
        (0usize..50, 0usize..50).prop_map(|(a, b)| json!({"type": "string", "minLength": a, "maxLength": a + b})),
        (-1000i64..1000, 0i64..500).prop_map(|(a, b)| json!({"type": "integer", "minimum": a, "maximum": a + b})),
        (-1000i64..1000).prop_map(|a| json!({"type": "integer", "exclusiveMinimum": a})),
        (-1000i64..1000).prop_map(|a| json!({"type": "integer", "maximum": a})),
        (-1000i64..1000, 1i64..500)
            .prop_map(|(a, b)| json!({"type": "number", "exclusiveMinimum": a, "exclusiveMaximum": a + b})),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            (inner.clone(), 0u64..4, 0u64..4)
                .prop_map(|(items, a, b)| json!({"type": "array", "items": items, "minItems": a, "maxItems": a + b})),
            (prop::collection::btree_map("[a-d]", inner.clone(), 0..4), any::<bool>()).prop_map(|(map, some)| {
                let names: Vec<String> = map.keys().take(if some { 1 } else { 9 }).cloned().collect();
                json!({"type": "object", "properties": Value::Object(Map::from_iter(map)), "required": names})
            }),
            prop::collection::vec(inner, 1..3).prop_map(|all| json!({"anyOf": all})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn samples_match_the_schema_and_are_deterministic(schema in schemas(), seed in any::<u64>()) {
        let value = sample_value(&schema, seed);
        prop_assert!(fits(&schema, &value), "{schema}\n{value}");
        prop_assert_eq!(value, sample_value(&schema, seed));
    }

    #[test]
    fn arbitrary_schemas_never_panic(text in "[\\[\\]{}\":,a-z$#/0-9 .-]{0,80}", seed in any::<u64>()) {
        if let Ok(schema) = serde_json::from_str::<Value>(&text) {
            sample_value(&schema, seed);
        }
    }
}

#[test]
fn special_cases() {
    for (schema, expect) in [
        (json!({"default": 7, "type": "integer"}), json!(7)),
        (json!({"examples": ["x"]}), json!("x")),
        (json!({"type": ["null", "boolean"]}), json!(true)),
        (json!({"type": "integer", "minimum": 10, "maximum": 10}), json!(10)),
        (json!({"type": "integer", "minimum": 5, "multipleOf": 7, "maximum": 8}), json!(7)),
        (json!({"properties": {"a": {"const": 1}}}), json!({"a": 1})),
        (
            json!({"allOf": [{"properties": {"a": {"const": 1}}, "required": ["a"]}, {"properties": {"b": {"const": 2}}, "required": ["b"]}]}),
            json!({"a": 1, "b": 2}),
        ),
        (json!({"$defs": {"p": {"const": "ref"}}, "properties": {"a": {"$ref": "#/$defs/p"}}}), json!({"a": "ref"})),
        (json!({"prefixItems": [{"const": 1}, {"const": 2}]}), json!([1, 2])),
        (json!({"anyOf": [{"type": "null"}, {"const": 3}]}), json!(3)),
    ] {
        assert_eq!(sample_value(&schema, 0), expect, "{schema}");
    }
}

#[test]
fn recursive_schemas_terminate() {
    let own_tail = json!({"$ref": "#", "type": "object"});
    let tree = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}, "required": ["left", "right"]});
    let wide = json!({"$defs": {"w": {"type": "array", "minItems": 1000000, "items": {"$ref": "#/$defs/w"}}}, "$ref": "#/$defs/w"});
    for schema in [own_tail, tree, wide] {
        assert!(sample_value(&schema, 1).to_string().len() < 100_000);
    }
}
