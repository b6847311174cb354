//! One change to the values of a file.

use serde_json::{Map, Value};

/// Where a value is: a key of a map, or a place in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum At {
    Key(String),
    Index(usize),
}

/// From the whole file to a value.
pub(super) type Path = Vec<At>;

/// What is done to the value at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The word or truth value becomes this one; maps on the way that are missing are made.
    Set(Path, Value),
    /// The list gets this text at its end; it is made when it is missing.
    Add(Path, String),
    /// The list loses every entry that is this text.
    Drop(Path, String),
}

impl Step {
    pub(super) fn path(&self) -> &[At] {
        let (Self::Set(path, _) | Self::Add(path, _) | Self::Drop(path, _)) = self;
        path
    }

    /// Does it; `None` when something else than a map or a list is in the way.
    pub(super) fn apply(&self, file: &mut Value) -> Option<()> {
        match self {
            Self::Set(path, value) => *slot(file, path)? = value.clone(),
            Self::Add(path, text) => {
                let list = slot(file, path)?;
                if list.is_null() {
                    *list = Value::Array(Vec::new());
                }
                list.as_array_mut()?.push(text.as_str().into());
            }
            Self::Drop(path, text) => slot(file, path)?.as_array_mut()?.retain(|entry| entry != text.as_str()),
        }
        Some(())
    }
}

/// The value at a path, made when it is missing.
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
