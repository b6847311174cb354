//! Sanitizes server metadata for models.

use rmcp::model::JsonObject;
use serde_json::Value;

const MAX_TEXT: usize = 8 << 10;

/// Removes invisible characters: zero-width, direction, tag and control characters.
pub(crate) fn clean(text: &str) -> String {
    let visible = text.chars().filter(|c| !is_hidden(*c));
    let mut out: String = visible.clone().take(MAX_TEXT).collect();
    if visible.count() > MAX_TEXT {
        out.push('…');
    }
    out
}

/// A schema with sanitized descriptions and titles, in the form required by model providers: an object schema.
pub(super) fn for_models(schema: &JsonObject) -> JsonObject {
    let mut schema = schema.clone();
    schema.remove("$schema");
    schema.entry("type").or_insert_with(|| "object".into());
    if schema.get("type").is_some_and(|kind| kind == "object") {
        schema.entry("properties").or_insert_with(|| Value::Object(JsonObject::new()));
    }
    clean_schema(&mut schema);
    schema
}

/// Sanitizes the descriptions and titles of a schema and changes nothing else.
pub(super) fn clean_schema(schema: &mut JsonObject) {
    for (key, value) in schema {
        clean_in(key, value);
    }
}

/// The message parser bounds the depth.
fn clean_in(key: &str, value: &mut Value) {
    match value {
        Value::String(text) if (key == "description" || key == "title") && text.chars().any(is_hidden) => {
            *text = clean(text);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| clean_in("", item)),
        Value::Object(members) => members.iter_mut().for_each(|(key, value)| clean_in(key, value)),
        _ => {}
    }
}

fn is_hidden(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hidden_characters_are_removed() {
        for (text, expect) in [
            ("Reads a file.\n\tÄ 漢 🙂", "Reads a file.\n\tÄ 漢 🙂"),
            ("a\u{200b}b\u{202e}c\u{feff}", "abc"),
            ("x\u{e0069}\u{e0067}\u{e006e}y\u{1b}[2Jz", "xy[2Jz"),
        ] {
            assert_eq!(clean(text), expect);
        }
        assert_eq!(clean(&"ä".repeat(MAX_TEXT + 1)).chars().count(), MAX_TEXT + 1);
    }

    #[test]
    fn model_schema_is_an_object_with_the_same_meaning() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "properties": {
                "path": {"type": "string", "description": "The\u{200b} path", "const": "a\u{200b}b"},
                "other": {"$ref": "https://example.com/schema.json"},
            },
        });
        let Value::Object(schema) = schema else { panic!("an object") };
        assert_eq!(
            Value::Object(for_models(&schema)),
            json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "The path", "const": "a\u{200b}b"},
                    "other": {"$ref": "https://example.com/schema.json"},
                },
            })
        );
        assert_eq!(Value::Object(for_models(&JsonObject::new())), json!({"type": "object", "properties": {}}));
    }
}
