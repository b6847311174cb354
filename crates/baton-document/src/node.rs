//! YAML documents as trees with the location of every value.

use crate::Diagnostic;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_saphyr::{Location, Spanned};
use std::fmt;

const MAX_DEPTH: usize = 64;
const MAX_NODES: usize = 100_000;

/// A line and a column, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLocation {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl SourceLocation {
    /// The start of a file.
    pub const START: Self = Self { line: 1, column: 1 };

    fn from_location(location: Location) -> Self {
        let number = |n: u64| u32::try_from(n).unwrap_or(u32::MAX).max(1);
        Self { line: number(location.line()), column: number(location.column()) }
    }
}

/// A value and its location.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentNode {
    /// Location of the value.
    pub location: SourceLocation,
    /// The value.
    pub value: NodeValue,
}

/// Value of a [`DocumentNode`].
#[derive(Clone, Debug, PartialEq)]
pub enum NodeValue {
    /// No value, as in `key:` with an empty rest of the line.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<DocumentNode>),
    /// Keys and values in the order written.
    Map(Vec<NodeEntry>),
}

/// One key of a map with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeEntry {
    /// The key.
    pub key: String,
    /// Location of the key.
    pub location: SourceLocation,
    /// The value.
    pub node: DocumentNode,
}

impl DocumentNode {
    /// User-facing name of this kind of value.
    pub fn kind(&self) -> &'static str {
        match self.value {
            NodeValue::Null => "nothing",
            NodeValue::Bool(_) => "true or false",
            NodeValue::Number(_) => "a number",
            NodeValue::Text(_) => "text",
            NodeValue::List(_) => "a list",
            NodeValue::Map(_) => "a map of keys",
        }
    }

    /// Converts to JSON, without locations.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            NodeValue::Null => serde_json::Value::Null,
            NodeValue::Bool(value) => (*value).into(),
            NodeValue::Number(number) => number.clone().into(),
            NodeValue::Text(text) => text.as_str().into(),
            NodeValue::List(nodes) => nodes.iter().map(Self::to_json).collect(),
            NodeValue::Map(entries) => {
                serde_json::Value::Object(entries.iter().map(|e| (e.key.clone(), e.node.to_json())).collect())
            }
        }
    }
}

/// Reads one YAML document; an empty one is [`NodeValue::Null`].
pub fn read(file: &str, bytes: &[u8]) -> Result<DocumentNode, Diagnostic> {
    let text = utf8(file, bytes)?;
    if text.lines().all(|line| line.trim_start().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(DocumentNode { location: SourceLocation::START, value: NodeValue::Null });
    }
    let options = serde_saphyr::options! {
        with_snippet: false,
        emit_comments: false,
        strict_booleans: true,
        budget: serde_saphyr::budget! { max_depth: MAX_DEPTH, max_nodes: MAX_NODES },
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let location = error.location().map_or(SourceLocation::START, SourceLocation::from_location);
        let (message, hint) = explain(&error);
        Diagnostic::error(file, location, message).with_hint(hint)
    })
}

/// Reads a YAML document with possibly megabytes of `embeddings`, which are read as null.
pub fn read_lean(file: &str, bytes: &[u8]) -> Result<DocumentNode, Diagnostic> {
    read(file, super::vectors::without_vectors(utf8(file, bytes)?).as_bytes())
}

/// The bytes as text, or an error at the first invalid byte.
pub fn utf8<'a>(file: &str, bytes: &'a [u8]) -> Result<&'a str, Diagnostic> {
    std::str::from_utf8(bytes).map_err(|error| not_utf8(file, bytes, error.valid_up_to()))
}

fn explain(error: &serde_saphyr::Error) -> (String, &'static str) {
    let error = error.without_snippet();
    if let serde_saphyr::Error::DuplicateMappingKey { key, .. } = error {
        return (format!("the key '{}' is defined twice", key.as_deref().unwrap_or("?")), "keep one of them");
    }
    let text = error.to_string();
    // A limit exceeded inside a nested value is reported as a plain message.
    if ["budget breached", "recursion limit", "limit exceeded"].iter().any(|limit| text.contains(limit)) {
        return ("the file is too large or too deep".to_owned(), "use fewer values, less nesting and fewer aliases");
    }
    let first = text.lines().next().unwrap_or_default();
    let cut = first.find(" at line ").unwrap_or(first.len());
    let message = format!("not valid YAML: {}", first[..cut].trim());
    (message, "check indentation, quotes and colons near this line")
}

fn not_utf8(file: &str, bytes: &[u8], valid_up_to: usize) -> Diagnostic {
    let before = &bytes[..valid_up_to];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column =
        String::from_utf8_lossy(before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default()).chars().count() + 1;
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Diagnostic::error(file, SourceLocation { line: number(line), column: number(column) }, "the file is not UTF-8 text")
        .with_hint("save the file with the encoding UTF-8")
}

impl<'de> Deserialize<'de> for DocumentNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<NodeValue>::deserialize(deserializer)?;
        Ok(Self { location: SourceLocation::from_location(spanned.referenced), value: spanned.value })
    }
}

impl<'de> Deserialize<'de> for NodeValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = NodeValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<NodeValue, E> {
        Ok(NodeValue::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<NodeValue, E> {
        Ok(NodeValue::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<NodeValue, E> {
        Ok(NodeValue::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<NodeValue, E> {
        Ok(NodeValue::Number(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<NodeValue, E> {
        Ok(Number::from_i128(value).map_or_else(|| NodeValue::Text(value.to_string()), NodeValue::Number))
    }

    fn visit_u128<E>(self, value: u128) -> Result<NodeValue, E> {
        Ok(Number::from_u128(value).map_or_else(|| NodeValue::Text(value.to_string()), NodeValue::Number))
    }

    fn visit_f64<E>(self, value: f64) -> Result<NodeValue, E> {
        Ok(Number::from_f64(value).map_or_else(|| NodeValue::Text(value.to_string()), NodeValue::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<NodeValue, E> {
        Ok(NodeValue::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<NodeValue, E> {
        Ok(NodeValue::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<NodeValue, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = seq.next_element()? {
            nodes.push(node);
        }
        Ok(NodeValue::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NodeValue, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            let node = map.next_value()?;
            entries.push(NodeEntry { key: key.value, location: SourceLocation::from_location(key.referenced), node });
        }
        Ok(NodeValue::Map(entries))
    }
}
