//! Conversion of a schema to the subset that a protocol supports, with its meaning preserved as far as possible.

use serde_json::{Map, Value, json};

/// Maximum nesting depth; deeper schemas accept any value.
const MAX_DEPTH: usize = 24;
/// Maximum number of schemas after references are inlined.
const MAX_NODES: usize = 4_000;

/// Keywords that are kept until they are rewritten.
const REWRITTEN_KEYWORDS: &[&str] = &["oneOf", "allOf", "const"];

/// JSON Schema subset that a protocol supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaDialect {
    /// Nearly all of JSON Schema.
    Full,
    /// Google's subset.
    Gemini,
    /// Objects, arrays and scalar values; no references.
    Plain,
}

impl SchemaDialect {
    fn keeps(self, keyword: &str) -> bool {
        const NEVER: &[&str] =
            &["$schema", "$id", "$anchor", "$comment", "$dynamicRef", "$dynamicAnchor", "$vocabulary"];
        const GEMINI: &[&str] = &[
            "type",
            "format",
            "title",
            "description",
            "enum",
            "items",
            "prefixItems",
            "minItems",
            "maxItems",
            "minimum",
            "maximum",
            "anyOf",
            "properties",
            "additionalProperties",
            "required",
        ];
        const PLAIN_NOT: &[&str] = &[
            "$defs",
            "definitions",
            "patternProperties",
            "propertyNames",
            "not",
            "if",
            "then",
            "else",
            "dependentSchemas",
        ];
        match self {
            _ if NEVER.contains(&keyword) => false,
            Self::Full => true,
            Self::Gemini => GEMINI.contains(&keyword),
            Self::Plain => !PLAIN_NOT.contains(&keyword),
        }
    }
}

/// Converts the schema to a dialect.
pub(crate) fn lower(schema: &Value, dialect: SchemaDialect) -> Value {
    let mut nodes = 0;
    SchemaLowerer { root: schema, dialect, nodes: &mut nodes }.node(schema, 0, &mut Vec::new())
}

struct SchemaLowerer<'a> {
    root: &'a Value,
    dialect: SchemaDialect,
    nodes: &'a mut usize,
}

impl<'a> SchemaLowerer<'a> {
    fn node(&mut self, schema: &'a Value, depth: usize, open: &mut Vec<&'a str>) -> Value {
        *self.nodes += 1;
        let Some(members) = schema.as_object().filter(|_| depth < MAX_DEPTH && *self.nodes < MAX_NODES) else {
            // `true` and `false` are also schemas, which only some services support.
            return if schema.is_boolean() && self.dialect == SchemaDialect::Full { schema.clone() } else { json!({}) };
        };
        if let Some(reference) = members.get("$ref").and_then(Value::as_str)
            && self.dialect != SchemaDialect::Full
        {
            return self.inline_reference(reference, members, depth, open);
        }
        let mut out = Map::new();
        for (keyword, value) in members {
            if !self.dialect.keeps(keyword) && !REWRITTEN_KEYWORDS.contains(&keyword.as_str()) {
                continue;
            }
            let value = match keyword.as_str() {
                "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => {
                    self.members(value, depth, open)
                }
                "items" | "additionalProperties" | "not" | "if" | "then" | "else" | "contains" | "propertyNames"
                    if value.is_object() =>
                {
                    self.node(value, depth + 1, open)
                }
                "anyOf" | "oneOf" | "allOf" | "prefixItems" => self.list(value, depth, open),
                _ => value.clone(),
            };
            out.insert(keyword.clone(), value);
        }
        if self.dialect != SchemaDialect::Full {
            simplify(&mut out, self.dialect);
        }
        Value::Object(out)
    }

    fn members(&mut self, value: &'a Value, depth: usize, open: &mut Vec<&'a str>) -> Value {
        let members = value.as_object().into_iter().flatten();
        Value::Object(members.map(|(name, schema)| (name.clone(), self.node(schema, depth + 1, open))).collect())
    }

    fn list(&mut self, value: &'a Value, depth: usize, open: &mut Vec<&'a str>) -> Value {
        let items = value.as_array().into_iter().flatten();
        Value::Array(items.map(|schema| self.node(schema, depth + 1, open)).collect())
    }

    /// Inlines a reference; a recursive one becomes a schema for any value.
    fn inline_reference(
        &mut self,
        reference: &'a str,
        members: &'a Map<String, Value>,
        depth: usize,
        open: &mut Vec<&'a str>,
    ) -> Value {
        let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let (Some(target), false) = (target, open.contains(&reference)) else {
            return members
                .get("description")
                .map_or_else(|| json!({}), |description| json!({"description": description}));
        };
        open.push(reference);
        let mut out = self.node(target, depth + 1, open);
        open.pop();
        if let (Some(out), Some(description)) = (out.as_object_mut(), members.get("description")) {
            out.insert("description".to_owned(), description.clone());
        }
        out
    }
}

/// Rewrites keywords that have a simpler equivalent.
fn simplify(out: &mut Map<String, Value>, dialect: SchemaDialect) {
    if let Some(value) = out.remove("const") {
        out.insert("enum".to_owned(), json!([value]));
    }
    if let Some(Value::Array(all)) = out.remove("allOf") {
        for part in all {
            merge(out, part);
        }
    }
    if let Some(one) = out.remove("oneOf") {
        out.entry("anyOf").or_insert(one);
    }
    if dialect != SchemaDialect::Gemini {
        return;
    }
    // Gemini requires one type per schema, and the type `string` for an enum of strings.
    if let Some(Value::Array(types)) = out.get("type").cloned() {
        out.remove("type");
        let details: Map<String, Value> = ["items", "properties", "required", "enum"]
            .iter()
            .filter_map(|&keyword| Some((keyword.to_owned(), out.remove(keyword)?)))
            .collect();
        let each = types.into_iter().map(|kind| {
            let mut one = if kind == "null" { Map::new() } else { details.clone() };
            one.insert("type".to_owned(), kind);
            Value::Object(one)
        });
        out.insert("anyOf".to_owned(), Value::Array(each.collect()));
    } else if out.contains_key("enum") && !out.contains_key("type") {
        let all_strings = out.get("enum").and_then(Value::as_array).is_some_and(|all| all.iter().all(Value::is_string));
        if all_strings {
            out.insert("type".to_owned(), json!("string"));
        }
    }
}

/// Merges two schemas: properties and required names are combined.
fn merge(out: &mut Map<String, Value>, part: Value) {
    let Value::Object(part) = part else { return };
    for (keyword, value) in part {
        match (out.get_mut(&keyword), value) {
            (Some(Value::Object(existing)), Value::Object(added)) => {
                for (name, schema) in added {
                    existing.entry(name).or_insert(schema);
                }
            }
            (Some(Value::Array(existing)), Value::Array(added)) if keyword == "required" => {
                for name in added {
                    if !existing.contains(&name) {
                        existing.push(name);
                    }
                }
            }
            (Some(_), _) => {}
            (None, value) => {
                out.insert(keyword, value);
            }
        }
    }
}

/// Merges alternatives at the root into one object with all properties; a property is required only if every
/// alternative requires it.
pub(crate) fn flatten_root(schema: &mut Value) {
    let Some(members) = schema.as_object_mut() else { return };
    if let Some(Value::Array(all)) = members.remove("allOf") {
        for part in all {
            merge(members, part);
        }
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(choices)) = members.remove(keyword) else { continue };
        let required = |choice: &Value| choice.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut common = choices.first().map(required).unwrap_or_default();
        for choice in &choices {
            common.retain(|name| required(choice).contains(name));
        }
        for mut choice in choices {
            if let Some(choice) = choice.as_object_mut() {
                choice.remove("required");
                choice.remove("additionalProperties");
            }
            merge(members, choice);
        }
        if !common.is_empty() {
            merge(members, json!({"required": common}));
        }
    }
}
