//! A single change to the values of a file.

use crate::document::{Entry, Node, Place , Valueas Written};
use serde_json::{Map, Value};
use std::fmt;

/// One element of a path: a key of a map, or an index of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum At {
    Key(String),
    Index(usize),
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => f.write_str(key),
            Self::Index(index) => write!(f, "{index}"),
        }
    }
}

/// Path from the root of the file to a value.
pub(super) type Path = Vec<At>;

/// The path of these keys.
pub(super) fn keys(keys: &[&str]) -> Path {
    keys.iter().map(|key| At::Key((*key).to_owned())).collect()
}

/// An operation on the value at a path.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    /// Sets the value; missing maps on the path are created.
    Set(Path, Node),
    /// Appends to the list, which is created if it is missing.
    Add(Path, Node),
    /// Removes every entry of the list that equals this text.
    Drop(Path, String),
    /// Removes the key and its value, or the entry of a list.
    Remove(Path),
}

impl Step {
    pub(super) fn path(&self) -> &[At] {
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
                    At::Key(key) => drop(parent.as_object_mut()?.remove(key)?),
                    At::Index(index) => {
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
fn slot<'a>(file: &'a mut Value, path: &[At]) -> Option<&'a mut Value> {
    path.iter().try_fold(file, |value, at| match at {
        At::Key(key) => {
            if value.is_null() {
                *value = Value::Object(Map::new());
            }
            Some(value.as_object_mut()?.entry(key.clone()).or_insert(Value::Null))
        }
        At::Index(index) => value.as_array_mut()?.get_mut(*index),
    })
}

fn node(value: Written) -> Node {
    Node { place: Place::START, value }
}

/// A scalar node.
pub(super) fn plain(value: impl Into<Value>) -> Node {
    node(match value.into() {
        Value::Bool(value) => Written::Bool(value),
        Value::Number(number) => Written::Number(number),
        Value::String(text) => Written::Text(text),
        Value::Null | Value::Array(_) | Value::Object(_) => Written::Null,
    })
}

/// A map node with its keys in this order.
pub(super) fn map(entries: Vec<(&str, Node)>) -> Node {
    let entry =
        |(key, node): (&str, Node)| Entry { key: key.to_owned(), place: Place::START, node };
    node(Written::Map(entries.into_iter().map(entry).collect()))
}

/// A list node.
pub(super) fn list(nodes: Vec<Node>) -> Node {
    node(Written::List(nodes))
}
