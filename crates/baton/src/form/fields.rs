//! The fields of a form, in the order of its schema.

use baton_types::Json;
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::Value;
use std::fmt;

/// Maximum depth of references within a schema; external references are never followed.
const MAX_REFERENCE_DEPTH: usize = 8;
/// Maximum fields of a form.
const MAX_FIELDS: usize = 200;

/// A form.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct InputForm {
    pub(crate) fields: Vec<FormField>,
    /// Whether members without a field are allowed.
    pub(crate) open: bool,
}

/// One member of the requested object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FormField {
    pub(crate) name: String,
    /// Description.
    pub(crate) about: String,
    pub(crate) required: bool,
    /// Default value.
    pub(crate) default: Option<Json>,
    pub(crate) kind: FormFieldKind,
}

/// Type of a member.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FormFieldKind {
    /// Text, with an optional format and length.
    Text { format: Option<String>, min: Option<u64>, max: Option<u64> },
    /// A number or an integer.
    Number { is_integer: bool, min: Option<f64>, max: Option<f64> },
    /// A boolean.
    Boolean,
    /// One of several values.
    Choice(Vec<FormChoice>),
    /// A list of one type.
    List(Box<FormFieldKind>),
    /// A nested object.
    Object,
    /// Any JSON.
    Any,
}

/// A value to choose.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FormChoice {
    pub(crate) value: Json,
    /// Display text.
    pub(crate) label: String,
}

/// Members of an object in source order.
struct OrderedMembers(Vec<(String, Json)>);

impl<'de> Deserialize<'de> for OrderedMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = OrderedMembers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<OrderedMembers, A::Error> {
                let mut members = Vec::new();
                while members.len() < MAX_FIELDS {
                    match map.next_entry()? {
                        Some(member) => members.push(member),
                        None => return Ok(OrderedMembers(members)),
                    }
                }
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(OrderedMembers(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

#[derive(Deserialize)]
struct Outline {
    properties: Option<OrderedMembers>,
}

impl InputForm {
    /// The form of an object schema; an empty schema gives an open form without fields.
    pub(crate) fn from_schema(schema: &Json) -> Self {
        let root = schema.to_value();
        let properties = schema.read::<Outline>().ok().and_then(|outline| outline.properties);
        let required: Vec<&str> = root["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let members = properties.map(|OrderedMembers(members)| members).unwrap_or_default();
        let open = root["additionalProperties"].as_bool().unwrap_or(members.is_empty());
        let fields = members.into_iter().map(|(name, property)| {
            let property = property.to_value();
            let property = resolve_schema(&property, &root, MAX_REFERENCE_DEPTH);
            let text = |key: &str| property[key].as_str().unwrap_or_default().trim();
            let (title, about) = (text("title"), text("description"));
            FormField {
                required: required.contains(&name.as_str()),
                about: if about.is_empty() { title } else { about }.to_owned(),
                default: property.get("default").filter(|default| !default.is_null()).cloned().map(Json::from),
                kind: kind(property, &root, MAX_REFERENCE_DEPTH),
                name,
            }
        });
        Self { fields: fields.collect(), open }
    }

    pub(crate) fn field(&self, name: &str) -> Option<&FormField> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// Follows references within the schema; of several alternatives, takes the first that is not null.
fn resolve_schema<'a>(schema: &'a Value, root: &'a Value, left: usize) -> &'a Value {
    if left == 0 {
        return schema;
    }
    let within = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    if let Some(target) = within.and_then(|pointer| root.pointer(pointer)) {
        return resolve_schema(target, root, left - 1);
    }
    let something = |option: &&Value| option["type"] != "null";
    let options = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array());
    match options {
        Some(options) if options.iter().all(|option| option.get("const").is_none()) => {
            options.iter().find(something).map_or(schema, |option| resolve_schema(option, root, left - 1))
        }
        _ => schema,
    }
}

fn kind(schema: &Value, root: &Value, left: usize) -> FormFieldKind {
    if let Some(choices) = choices(schema) {
        return FormFieldKind::Choice(choices);
    }
    let bound = |key: &str| schema[key].as_f64();
    let whole_number = FormFieldKind::Number { is_integer: true, min: bound("minimum"), max: bound("maximum") };
    match type_of(schema) {
        "string" => FormFieldKind::Text {
            format: schema["format"].as_str().map(str::to_owned),
            min: schema["minLength"].as_u64(),
            max: schema["maxLength"].as_u64(),
        },
        "integer" => whole_number,
        "number" => FormFieldKind::Number { is_integer: false, min: bound("minimum"), max: bound("maximum") },
        "boolean" => FormFieldKind::Boolean,
        "array" if left > 0 => {
            FormFieldKind::List(Box::new(kind(resolve_schema(&schema["items"], root, left - 1), root, left - 1)))
        }
        "object" => FormFieldKind::Object,
        _ => FormFieldKind::Any,
    }
}

/// The type of a schema; of several, the first that is not null.
fn type_of(schema: &Value) -> &str {
    let several = schema["type"].as_array().into_iter().flatten().filter_map(Value::as_str);
    schema["type"].as_str().or_else(|| several.into_iter().find(|name| *name != "null")).unwrap_or_default()
}

fn choices(schema: &Value) -> Option<Vec<FormChoice>> {
    let plain = |value: &Value| Json::from(value.clone()).to_plain_text();
    let choice = |value: &Value, label: Option<&str>| FormChoice {
        value: value.clone().into(),
        label: label.map_or_else(|| plain(value), str::to_owned),
    };
    if let Some(values) = schema["enum"].as_array() {
        let label = |index: usize| schema["enumNames"].get(index).and_then(Value::as_str);
        let real = values.iter().enumerate().filter(|(_, value)| !value.is_null());
        return Some(real.map(|(index, value)| choice(value, label(index))).collect());
    }
    let named = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array())?;
    let constants = named.iter().filter_map(|option| Some(choice(option.get("const")?, option["title"].as_str())));
    Some(constants.collect::<Vec<_>>()).filter(|choices| !choices.is_empty())
}
