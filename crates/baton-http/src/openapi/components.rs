//! Schemas of the document.
//!
//! A type is described once if requests and replies have the same form. Otherwise the form of requests, in which members
//! with a default are optional and unknown members are rejected, gets the suffix `Input`.

use schemars::{
    Schema, SchemaGenerator,
    generate::SchemaSettings,
    transform::{Transform, transform_subschemas},
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Produces a schema, and adds the schemas that it refers to.
pub(super) type SchemaSource = fn(&mut SchemaGenerator) -> Schema;

const SCHEMAS: &str = "#/components/schemas/";
/// Temporary place of the schemas of requests.
const INPUTS: &str = "#/components/inputs/";
const INPUT_SUFFIX: &str = "Input";

/// Whether data is received or sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemaDirection {
    Request,
    Reply,
}

/// Collects the schemas of a document.
pub(super) struct Components {
    requests: SchemaGenerator,
    replies: SchemaGenerator,
}

impl Components {
    pub(super) fn new() -> Self {
        let at = |path: &'static str| {
            SchemaSettings::draft2020_12().with(|settings| settings.definitions_path = path.into())
        };
        Self {
            requests: at(INPUTS.trim_end_matches('/')).for_deserialize().into_generator(),
            replies: at(SCHEMAS.trim_end_matches('/')).for_serialize().into_generator(),
        }
    }

    /// The schema, with references to the components.
    pub(super) fn schema(&mut self, source: SchemaSource, direction: SchemaDirection) -> Value {
        let mut schema = match direction {
            SchemaDirection::Request => source(&mut self.requests),
            SchemaDirection::Reply => source(&mut self.replies),
        };
        PlainSchema.transform(&mut schema);
        schema.to_value()
    }

    /// Schemas by name. References of `document` to schemas of requests are replaced by their final names.
    pub(super) fn finish(mut self, document: &mut Value) -> Map<String, Value> {
        let replies = plain_schemas(self.replies.take_definitions(true), MemberRule::Open);
        let requests = plain_schemas(self.requests.take_definitions(true), MemberRule::AsWritten);
        let differing = differing_schemas(&requests, &replies);
        let final_name = |name: &str| match differing.contains(name) {
            true => format!("{SCHEMAS}{name}{INPUT_SUFFIX}"),
            false => format!("{SCHEMAS}{name}"),
        };
        rename_references(document, &final_name);
        let mut all = replies;
        for (name, mut schema) in requests {
            rename_references(&mut schema, &final_name);
            let renamed = final_name(&name)[SCHEMAS.len()..].to_owned();
            all.entry(renamed).or_insert(schema);
        }
        all.into_iter().collect()
    }
}

/// Whether unknown members are described.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MemberRule {
    /// Further members may be added to replies.
    Open,
    AsWritten,
}

fn plain_schemas(schemas: Map<String, Value>, rule: MemberRule) -> BTreeMap<String, Value> {
    let plain = |(name, schema): (String, Value)| {
        let mut schema = Schema::try_from(schema).unwrap_or_default();
        PlainSchema.transform(&mut schema);
        if rule == MemberRule::Open {
            OpenMembers.transform(&mut schema);
        }
        (name, schema.to_value())
    };
    schemas.into_iter().map(plain).collect()
}

/// Names of types whose requests and replies differ, directly or in a type that they refer to.
fn differing_schemas(requests: &BTreeMap<String, Value>, replies: &BTreeMap<String, Value>) -> BTreeSet<String> {
    let mut differing = BTreeSet::new();
    loop {
        let before = differing.len();
        for (name, request) in requests {
            let Some(reply) = replies.get(name) else { continue };
            let mut request = Schema::try_from(request.clone()).unwrap_or_default();
            OpenMembers.transform(&mut request);
            let mut request = request.to_value();
            let renamed = |name: &str| match differing.contains(name) {
                true => format!("{SCHEMAS}{name}{INPUT_SUFFIX}"),
                false => format!("{SCHEMAS}{name}"),
            };
            rename_references(&mut request, &renamed);
            if request != *reply {
                differing.insert(name.clone());
            }
        }
        if differing.len() == before {
            return differing;
        }
    }
}

fn rename_references(value: &mut Value, final_name: &impl Fn(&str) -> String) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(|one| rename_references(one, final_name)),
        Value::Object(members) => {
            for (key, member) in members {
                match member {
                    Value::String(text) if key == "$ref" => {
                        if let Some(name) = text.strip_prefix(INPUTS) {
                            *text = final_name(name);
                        }
                    }
                    other => rename_references(other, final_name),
                }
            }
        }
        _ => {}
    }
}

/// Rewrites a schema to the form that client generators read best: an optional member is absent rather than null and
/// has no default, the values of an enumeration are a list, and paragraphs have no line breaks.
#[derive(Clone, Debug)]
struct PlainSchema;

impl Transform for PlainSchema {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        join_lines(schema);
        list_constants(schema);
        let Some(members) = schema.as_object_mut() else { return };
        let required = members.get("required").cloned().unwrap_or_default();
        let is_required =
            |name: &str| required.as_array().is_some_and(|names| names.iter().any(|required| required == name));
        let Some(Value::Object(properties)) = members.get_mut("properties") else { return };
        for property in properties.values_mut() {
            // Generators would make the member required.
            property.as_object_mut().and_then(|property| property.remove("default"));
        }
        for (_, property) in properties.iter_mut().filter(|(name, _)| !is_required(name)) {
            remove_null(property);
        }
    }
}

/// Removes `null` from the values of a schema.
fn remove_null(schema: &mut Value) {
    let Value::Object(members) = schema else { return };
    if let Some(Value::Array(types)) = members.get_mut("type") {
        types.retain(|one| one != "null");
        if let [only] = &types[..] {
            members["type"] = only.clone();
        }
    }
    let null = json!({"type": "null"});
    if let Some(Value::Array(choices)) = members.get_mut("anyOf") {
        choices.retain(|one| *one != null);
        if let [Value::Object(only)] = &choices[..] {
            let only = only.clone();
            members.remove("anyOf");
            members.extend(only);
        }
    }
}

/// Joins the lines of each paragraph of a description.
fn join_lines(schema: &mut Schema) {
    if let Some(Value::String(about)) = schema.get_mut("description") {
        *about = about.split("\n\n").map(|paragraph| paragraph.replace('\n', " ")).collect::<Vec<_>>().join("\n\n");
    }
}

/// Rewrites a choice of constants as an enumeration. Their descriptions become a list.
fn list_constants(schema: &mut Schema) {
    let Some(members) = schema.as_object_mut() else { return };
    let Some(Value::Array(choices)) = members.get("oneOf") else { return };
    let (mut constants, mut lines) = (Vec::new(), String::new());
    for choice in choices {
        match (choice.get("const"), choice.get("enum")) {
            (Some(Value::String(constant)), None) => {
                let about = choice.get("description").and_then(Value::as_str).unwrap_or_default();
                lines.push_str(&format!("\n- `{constant}`: {about}"));
                constants.push(Value::from(constant.as_str()));
            }
            _ => return,
        }
    }
    let about = members.get("description").and_then(Value::as_str).unwrap_or_default();
    let about = format!("{about}\n{lines}").trim().to_owned();
    members.remove("oneOf");
    members.insert("description".to_owned(), about.into());
    members.insert("type".to_owned(), "string".into());
    members.insert("enum".to_owned(), constants.into());
}

/// Permits members that are not described.
#[derive(Clone, Debug)]
struct OpenMembers;

impl Transform for OpenMembers {
    fn transform(&mut self, schema: &mut Schema) {
        if schema.get("additionalProperties") == Some(&Value::Bool(false)) {
            schema.remove("additionalProperties");
        }
        transform_subschemas(self, schema);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    /// The same in both directions.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Leaf {
        /// An
        /// optional member.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// A choice.
        choice: Choice,
    }

    /// A choice.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Choice {
        /// The first.
        One,
        /// The second.
        Two,
    }

    /// Optional only in requests.
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Inner {
        /// A member with a default.
        #[serde(default)]
        count: u8,
    }

    /// Differs because of its member.
    #[derive(Serialize, Deserialize, JsonSchema)]
    struct Outer {
        /// The inner one.
        inner: Inner,
        /// A leaf or `null`.
        leaf: Option<Leaf>,
    }

    #[test]
    fn types_are_described_once_unless_requests_differ() {
        let mut components = Components::new();
        let request = components.schema(SchemaGenerator::subschema_for::<Outer>, SchemaDirection::Request);
        let reply = components.schema(SchemaGenerator::subschema_for::<Outer>, SchemaDirection::Reply);
        let mut document = json!([request, reply]);
        let schemas = Value::from(components.finish(&mut document));
        insta::assert_snapshot!(format!("{document:#}\n{schemas:#}"));
    }
}
