//! A single change to the values of a file.

use baton_document::{DocumentNode, NodeEntry, NodeValue as Written, SourceLocation};
use serde_json::{Map, Value};
use std::fmt;

/// One element of a path: a key of a map, or an index of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PathElement {
    Key(String),
    Index(usize),
}

impl fmt::Display for PathElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => f.write_str(key),
            Self::Index(index) => write!(f, "{index}"),
        }
    }
}

/// Path from the root of the file to a value.
pub(super) type EditPath = Vec<PathElement>;

/// The path of these keys.
pub(super) fn keys(keys: &[&str]) -> EditPath {
    keys.iter().map(|key| PathElement::Key((*key).to_owned())).collect()
}

/// An operation on the value at a path.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum EditStep {
    /// Sets the value; missing maps on the path are created.
    Set(EditPath, DocumentNode),
    /// Appends to the list, which is created if it is missing.
    Add(EditPath, DocumentNode),
    /// Removes every entry of the list that equals this text.
    Drop(EditPath, String),
    /// Removes the key and its value, or the entry of a list.
    Remove(EditPath),
}

impl EditStep {
    pub(super) fn path(&self) -> &[PathElement] {
        let (Self::Set(path, _) | Self::Add(path, _) | Self::Drop(path, _) | Self::Remove(path)) = self;
        path
    }

    /// Applies the step to the values; `None` if the path leads through a value that is not a map or a list.
    pub(super) fn apply(&self, file: &mut Value) -> Option<()> {
        match self {
            Self::Set(path, node) => *slot(file, path)? = node.to_json(),
            Self::Add(path, node) => {
                let list = slot(file, path)?;
                if list.is_null() {
                    *list = Value::Array(Vec::new());
                }
                list.as_array_mut()?.push(node.to_json());
            }
            Self::Drop(path, text) => slot(file, path)?.as_array_mut()?.retain(|entry| entry != text.as_str()),
            Self::Remove(path) => {
                let (last, way) = path.split_last()?;
                let parent = slot(file, way)?;
                match last {
                    PathElement::Key(key) => drop(parent.as_object_mut()?.remove(key)?),
                    PathElement::Index(index) => {
                        let list = parent.as_array_mut().filter(|list| *index < list.len())?;
                        list.remove(*index);
                    }
                }
            }
        }
        Some(())
    }
}

/// The value at a path, created if it is missing.
fn slot<'a>(file: &'a mut Value, path: &[PathElement]) -> Option<&'a mut Value> {
    path.iter().try_fold(file, |value, at| match at {
        PathElement::Key(key) => {
            if value.is_null() {
                *value = Value::Object(Map::new());
            }
            Some(value.as_object_mut()?.entry(key.clone()).or_insert(Value::Null))
        }
        PathElement::Index(index) => value.as_array_mut()?.get_mut(*index),
    })
}

fn node(value: Written) -> DocumentNode {
    DocumentNode { location: SourceLocation::START, value }
}

/// A scalar node.
pub(super) fn scalar(value: impl Into<Value>) -> DocumentNode {
    node(match value.into() {
        Value::Bool(value) => Written::Bool(value),
        Value::Number(number) => Written::Number(number),
        Value::String(text) => Written::Text(text),
        Value::Null | Value::Array(_) | Value::Object(_) => Written::Null,
    })
}

/// A map node with its keys in this order.
pub(super) fn map(entries: Vec<(&str, DocumentNode)>) -> DocumentNode {
    let entry =
        |(key, node): (&str, DocumentNode)| NodeEntry { key: key.to_owned(), location: SourceLocation::START, node };
    node(Written::Map(entries.into_iter().map(entry).collect()))
}

/// A list node.
pub(super) fn list(nodes: Vec<DocumentNode>) -> DocumentNode {
    node(Written::List(nodes))
}
