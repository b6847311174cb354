//! Ordered values for writing files.

use baton_document::{DocumentNode, NodeValue, read_json};
use baton_types::Json;
use serde_json::Number;

/// A value; maps keep their order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum OrderedValue {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<OrderedValue>),
    Map(OrderedMap),
}

/// Keys and values in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct OrderedMap(pub(super) Vec<(String, OrderedValue)>);

impl OrderedValue {
    pub(super) fn from_node(node: &DocumentNode) -> Self {
        match &node.value {
            NodeValue::Null => Self::Null,
            NodeValue::Bool(value) => Self::Bool(*value),
            NodeValue::Number(number) => Self::Number(number.clone()),
            NodeValue::Text(text) => Self::Text(text.clone()),
            NodeValue::List(nodes) => Self::List(nodes.iter().map(Self::from_node).collect()),
            NodeValue::Map(entries) => Self::Map(OrderedMap(
                entries.iter().map(|entry| (entry.key.clone(), Self::from_node(&entry.node))).collect(),
            )),
        }
    }

    /// Parses raw JSON; the order of keys is kept.
    pub(super) fn from_json(json: &Json) -> Self {
        read_json("", json.as_str().as_bytes()).map_or(Self::Null, |node| Self::from_node(&node))
    }

    pub(super) fn texts<'a>(texts: impl IntoIterator<Item = &'a String>) -> Self {
        Self::List(texts.into_iter().map(|text| Self::from(text.as_str())).collect())
    }

    /// The value of a key, if this is a map.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(OrderedMap(entries)) = self else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Converts to a JSON value.
    pub(super) fn to_value(&self) -> serde_json::Value {
        match self {
            Self::Null => serde_json::Value::Null,
            Self::Bool(value) => (*value).into(),
            Self::Number(number) => serde_json::Value::Number(number.clone()),
            Self::Text(text) => text.as_str().into(),
            Self::List(all) => all.iter().map(Self::to_value).collect(),
            Self::Map(OrderedMap(all)) => all.iter().map(|(key, value)| (key.clone(), value.to_value())).collect(),
        }
    }

    /// Pretty-printed JSON text.
    pub(super) fn to_json(&self) -> String {
        let mut text = String::new();
        self.write_json(&mut text, 0);
        text.push('\n');
        text
    }

    fn write_json(&self, text: &mut String, indent: usize) {
        let line = |text: &mut String, indent: usize| {
            text.push('\n');
            text.push_str(&"  ".repeat(indent));
        };
        match self {
            Self::Null => text.push_str("null"),
            Self::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
            Self::Number(number) => text.push_str(&number.to_string()),
            Self::Text(content) => text.push_str(&serde_json::Value::from(content.as_str()).to_string()),
            Self::List(all) if all.is_empty() => text.push_str("[]"),
            Self::Map(OrderedMap(all)) if all.is_empty() => text.push_str("{}"),
            Self::List(all) => {
                text.push('[');
                for (index, entry) in all.iter().enumerate() {
                    text.push_str(if index == 0 { "" } else { "," });
                    line(text, indent + 1);
                    entry.write_json(text, indent + 1);
                }
                line(text, indent);
                text.push(']');
            }
            Self::Map(OrderedMap(all)) => {
                text.push('{');
                for (index, (key, value)) in all.iter().enumerate() {
                    text.push_str(if index == 0 { "" } else { "," });
                    line(text, indent + 1);
                    text.push_str(&serde_json::Value::from(key.as_str()).to_string());
                    text.push_str(": ");
                    value.write_json(text, indent + 1);
                }
                line(text, indent);
                text.push('}');
            }
        }
    }
}

impl OrderedMap {
    /// Sets a key: replaces its value, or appends the key.
    pub(super) fn set(&mut self, key: &str, value: impl Into<OrderedValue>) {
        let value = value.into();
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, slot)) => *slot = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// Sets a key if there is a value.
    pub(super) fn set_some(&mut self, key: &str, value: Option<impl Into<OrderedValue>>) {
        if let Some(value) = value {
            self.set(key, value);
        }
    }

    /// Sets a key unless its value is an empty list or map.
    pub(super) fn set_nonempty(&mut self, key: &str, value: impl Into<OrderedValue>) {
        let value = value.into();
        let is_empty = match &value {
            OrderedValue::List(all) => all.is_empty(),
            OrderedValue::Map(OrderedMap(all)) => all.is_empty(),
            _ => false,
        };
        if !is_empty {
            self.set(key, value);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<OrderedMap> for OrderedValue {
    fn from(map: OrderedMap) -> Self {
        Self::Map(map)
    }
}

impl From<Vec<OrderedValue>> for OrderedValue {
    fn from(list: Vec<OrderedValue>) -> Self {
        Self::List(list)
    }
}

impl From<&str> for OrderedValue {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for OrderedValue {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<bool> for OrderedValue {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u32> for OrderedValue {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u16> for OrderedValue {
    fn from(number: u16) -> Self {
        Self::Number(number.into())
    }
}

impl From<baton_types::Thousandths> for OrderedValue {
    fn from(number: baton_types::Thousandths) -> Self {
        let integer = number.0.is_multiple_of(1000).then(|| Number::from(number.0 / 1000));
        integer.or_else(|| Number::from_f64(number.get())).map_or(Self::Null, Self::Number)
    }
}
