//! Tool schemas after conversion for each dialect.

use super::{SchemaDialect, answer, strict, tool};
use crate::protocol::protocol_for;
use baton_types::ProviderKind;
use serde_json::{Value, json};

fn rich() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "place": {"$ref": "#/$defs/place"},
            "unit": {"const": "celsius"},
            "when": {"type": ["string", "null"], "format": "date"},
            "kind": {"enum": ["now", "later"]},
            "size": {"oneOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": "^x"}]},
            "tree": {"$ref": "#/$defs/tree"}
        },
        "required": ["place"],
        "additionalProperties": false,
        "$defs": {
            "place": {"allOf": [
                {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
                {"properties": {"zip": {"type": "string", "minLength": 5}}, "required": ["zip"]}
            ]},
            "tree": {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
        }
    })
}

#[test]
fn gemini_keeps_alternatives_values_nesting_and_required_members() {
    let lowered = tool(SchemaDialect::Gemini, &rich());
    assert_eq!(
        lowered,
        json!({
            "type": "object",
            "properties": {
                "place": {
                    "type": "object",
                    "properties": {"city": {"type": "string"}, "zip": {"type": "string"}},
                    "required": ["city", "zip"]
                },
                "unit": {"enum": ["celsius"], "type": "string"},
                "when": {"format": "date", "anyOf": [{"type": "string"}, {"type": "null"}]},
                "kind": {"enum": ["now", "later"], "type": "string"},
                "size": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string"}]},
                "tree": {"type": "object", "properties": {"kids": {"type": "array", "items": {}}}}
            },
            "required": ["place"],
            "additionalProperties": false
        })
    );
}

#[test]
fn other_providers_keep_supported_keywords() {
    let full = tool(SchemaDialect::Full, &rich());
    assert_eq!(full["properties"]["place"], json!({"$ref": "#/$defs/place"}));
    assert!(full.get("$schema").is_none() && full.get("$defs").is_some());
    let plain = tool(SchemaDialect::Plain, &rich());
    assert!(plain.get("$defs").is_none());
    assert_eq!(plain["properties"]["place"]["properties"]["zip"]["minLength"], 5);
    assert_eq!(plain["properties"]["when"]["type"], json!(["string", "null"]));
}

#[test]
fn arguments_are_always_one_object() {
    for kind in ProviderKind::ALL {
        let dialect = protocol_for(kind).dialect();
        assert_eq!(tool(dialect, &json!(true)), json!({"type": "object", "properties": {}}), "{kind:?}");
        let either = json!({"anyOf": [
            {"type": "object", "properties": {"id": {"type": "string"}, "of": {"type": "string"}}, "required": ["id", "of"]},
            {"type": "object", "properties": {"name": {"type": "string"}, "of": {"type": "string"}}, "required": ["name", "of"]}
        ]});
        let one = tool(dialect, &either);
        assert_eq!(one["required"], json!(["of"]), "{kind:?}");
        assert!(one["properties"]["id"].is_object() && one["properties"]["name"].is_object(), "{kind:?}");
        assert!(one.get("anyOf").is_none(), "{kind:?}");
    }
}

#[test]
fn strict_schema_is_equivalent_or_none() {
    let exact = json!({
        "$schema": "x", "type": "object", "title": "Reply",
        "properties": {
            "mood": {"type": "string", "enum": ["good", "bad"], "default": "good"},
            "note": {"oneOf": [{"type": "string"}, {"type": "null"}]},
            "list": {"type": "array", "items": {
                "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]
            }}
        },
        "required": ["mood", "note", "list"]
    });
    assert_eq!(
        strict(&exact),
        Some(json!({
            "type": "object", "title": "Reply",
            "properties": {
                "mood": {"type": "string", "enum": ["good", "bad"]},
                "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "list": {"type": "array", "items": {
                    "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"],
                    "additionalProperties": false
                }}
            },
            "required": ["mood", "note", "list"],
            "additionalProperties": false
        }))
    );
    for (why, schema) in [
        ("optional member", json!({"type": "object", "properties": {"a": {"type": "string"}}})),
        ("open object", json!({"type": "object", "additionalProperties": {"type": "string"}})),
        ("no object", json!({"type": "array", "items": {"type": "string"}})),
        ("other keyword", json!({"type": "object", "properties": {"a": {"not": {}}}, "required": ["a"]})),
    ] {
        assert_eq!(strict(&schema), None, "{why}");
    }
}

#[test]
fn exponential_schema_is_truncated() {
    // Each level references the next one twice; expanded, it would be a million schemas.
    let mut defs = serde_json::Map::new();
    for level in 0..20 {
        let next = format!("#/$defs/l{}", level + 1);
        defs.insert(
            format!("l{level}"),
            json!({"type": "object", "properties": {"a": {"$ref": next}, "b": {"$ref": next}}}),
        );
    }
    defs.insert("l20".to_owned(), json!({"type": "string"}));
    let lowered = answer(SchemaDialect::Gemini, &json!({"$ref": "#/$defs/l0", "$defs": defs}));
    assert!(lowered.to_string().len() < 2_000_000);
}
