//! Validation against JSON Schemas.

use crate::sample::json;
use baton_rules::SchemaValidator;
use serde_json::{Value, json};

pub(super) fn validator(schema: Value) -> SchemaValidator {
    SchemaValidator::compile(&schema.into()).unwrap()
}

#[test]
fn schema_errors_name_their_location() {
    let nested = json!({"type": "object", "properties": {
        "items": {"type": "array", "items": {"type": "object", "properties": {"count": {"type": "integer", "minimum": 1}}}},
        "kind": {"anyOf": [{"const": "a"}, {"type": "integer"}]},
        "name": {"$ref": "#/$defs/name"}}, "$defs": {"name": {"type": "string", "maxLength": 3}}});
    let table = [
        (json!({}), vec![]),
        (json!({"items": [{"count": 1}, {"count": "x"}]}), vec!["/items/1/count"]),
        (json!({"items": [{"count": 0}], "name": "long"}), vec!["/items/0/count", "/name"]),
        (json!({"kind": "b"}), vec!["/kind"]),
        (json!({"kind": 7, "name": "abc"}), vec![]),
        (json!([]), vec![""]),
    ];
    let form = validator(nested);
    for (value, places) in table {
        let mut found: Vec<String> =
            form.violations(&json(value.clone())).into_iter().map(|misfit| misfit.path).collect();
        found.sort();
        assert_eq!(found, places, "{value}");
    }
    let many: Vec<Value> = (0..100).map(|_| json!({"count": "x".repeat(9000)})).collect();
    let errors = form.violations(&json(json!({"items": many})));
    assert!(errors.len() <= 5 && errors.iter().all(|error| error.to_string().len() < 500), "{errors:?}");
}

#[test]
fn remote_schema_references_are_not_fetched() {
    for reference in ["https://example.com/schema.json", "file:///etc/passwd", "other.json"] {
        let error = SchemaValidator::compile(&json(json!({"$ref": reference}))).err().unwrap();
        assert!(error.to_string().starts_with("the schema cannot be used"), "{error}");
    }
    assert!(SchemaValidator::compile(&json(json!({"type": "no such type"}))).is_err());
}

#[test]
fn errors_are_one_line_with_locations() {
    let form = validator(json!({
        "type": "object",
        "$defs": {"place": {"type": "object", "properties": {"lat": {"type": "number"}}, "required": ["lat"]}},
        "properties": {
            "city": {"type": "string", "minLength": 2},
            "days": {"type": ["integer", "null"], "minimum": 1, "maximum": 7},
            "unit": {"enum": ["C", "F"]},
            "place": {"$ref": "#/$defs/place"},
            "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
            "when": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
            "step": {"type": "number", "multipleOf": 0.1, "exclusiveMaximum": 1},
            "no": false,
        },
        "required": ["city"],
        "dependentRequired": {"unit": ["days"]},
        "additionalProperties": false,
        "if": {"properties": {"city": {"const": "Oslo"}}, "required": ["city"]},
        "then": {"required": ["when"]},
    }));
    for (given, expect) in [
        (json!({"city": "Rome"}), Ok(())),
        (json!({"city": "Rome", "days": null, "step": 0.3, "when": 1, "place": {"lat": 1}}), Ok(())),
        (json!({"city": "Rome", "days": 2.0}), Ok(())),
        (json!([]), Err("must be an object, not []")),
        (json!({}), Err("'city' is missing")),
        (json!({"city": "R"}), Err("at '/city': must have at least 2 characters, not 1")),
        (json!({"city": "Rome", "days": 2.5}), Err("at '/days': must be null or an integer, not 2.5")),
        (json!({"city": "Rome", "days": 9}), Err("at '/days': must be at most 7, not 9")),
        (json!({"city": "Rome", "unit": "C"}), Err("'days' is missing; 'unit' requires this")),
        (json!({"city": "Rome", "days": 1, "unit": "K"}), Err("at '/unit': must be one of \"C\", \"F\", not \"K\"")),
        (json!({"city": "Rome", "place": {}}), Err("at '/place': 'lat' is missing")),
        (json!({"city": "Rome", "tags": ["a", 1]}), Err("at '/tags/1': must be a string, not 1")),
        (json!({"city": "Rome", "tags": ["a", "a"]}), Err("at '/tags': the items at 0 and 1 are equal")),
        (json!({"city": "Rome", "step": 0.25}), Err("at '/step': must be a multiple of 0.1, not 0.25")),
        (json!({"city": "Rome", "step": 1}), Err("at '/step': must be less than 1, not 1")),
        (json!({"city": "Rome", "no": 1}), Err("at '/no': is not allowed")),
        (json!({"city": "Rome", "sun": 1}), Err("'sun' is unknown")),
        (json!({"city": "Oslo"}), Err("'when' is missing")),
    ] {
        assert_eq!(form.check(&given), expect.map_err(str::to_owned), "{given}");
    }
    let errors = form.check(&json!({"city": "Rome", "when": true})).unwrap_err();
    assert!(errors.starts_with("at '/when': matches none of the alternatives ("), "{errors}");
}

/// A pairwise comparison of all entries would take minutes.
#[test]
fn unique_items_check_of_long_list_is_fast() {
    let form = validator(json!({"properties": {"all": {"type": "array", "uniqueItems": true}}}));
    let mut all: Vec<Value> = (0..300_000).map(Value::from).collect();
    assert_eq!(form.check(&json!({ "all": all })), Ok(()));
    all.push(json!(7));
    assert!(form.check(&json!({ "all": all })).is_err());
}

#[test]
fn schemas_that_take_too_many_steps_accept_every_value() {
    let twice = |target: String| json!({"anyOf": [{"$ref": target}, {"$ref": target}]});
    let circle = json!({"$ref": "#/$defs/a", "$defs": {"a": twice("#/$defs/a".to_owned())}});
    assert_eq!(validator(circle).check(&json!({})), Ok(()), "a reference to itself");
    let mut levels: serde_json::Map<String, Value> =
        (0..40).map(|level| (format!("l{level}"), twice(format!("#/$defs/l{}", level + 1)))).collect();
    levels.insert("l40".to_owned(), json!({"type": "string"}));
    let doubling = json!({"$ref": "#/$defs/l0", "$defs": levels});
    assert_eq!(validator(doubling).check(&json!(1)), Ok(()), "2^40 alternatives for one value");
    let alternatives: Vec<Value> = (0..50).map(|_| json!({"$ref": "#"})).collect();
    let nested = json!({"type": ["object", "string"], "properties": {"a": {"anyOf": alternatives}}});
    let mut deep = json!(1);
    for _ in 0..20 {
        deep = json!({ "a": deep });
    }
    assert_eq!(validator(nested.clone()).check(&deep), Ok(()), "50^20 alternatives for nested values");
    assert!(validator(nested).check(&json!({"a": 1})).is_err());
    let tree = json!({"$defs": {"tree": {"type": "object", "properties": {
        "name": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}}, "$ref": "#/$defs/tree"});
    let mut leaf = json!({"name": 1});
    for _ in 0..40 {
        leaf = json!({"parts": [{"name": "x"}, leaf]});
    }
    assert!(validator(tree).check(&leaf).is_err(), "a recursive schema is evaluated");
}

#[test]
fn only_references_by_pointer_are_followed() {
    for (schema, is_supported) in [
        (json!({"$ref": "#"}), true),
        (json!({"properties": {"a": {"$ref": "#/$defs/b"}}, "$defs": {"b": {}}}), true),
        (json!({"properties": {"$ref": {"type": "string"}, "$id": {"type": "string"}}}), true),
        (json!({"examples": [{"$ref": "x", "$id": "y"}], "default": {"$id": "z"}, "enum": [{"$id": "z"}]}), true),
        (json!({"$id": "https://example.com/root.json", "type": "object"}), true),
        (json!({"$ref": "#b", "$defs": {"b": {"$anchor": "b"}}}), false),
        (json!({"items": {"$dynamicRef": "#b"}, "$defs": {"b": {"$dynamicAnchor": "b"}}}), false),
        (json!({"allOf": [{"$id": "other.json", "$ref": "#/$defs/b"}]}), false),
        (json!({"properties": {"default": {"$id": "other.json"}}}), false),
    ] {
        assert_eq!(SchemaValidator::compile(&schema.clone().into()).is_ok(), is_supported, "{schema}");
    }
}
