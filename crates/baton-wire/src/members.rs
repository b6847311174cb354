//! A JSON object that keeps the order of its members and every digit of its numbers.

use baton_types::Json;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};
use std::fmt;

/// The members of an object in source order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ObjectMembers(pub(crate) Vec<(String, Json)>);

impl ObjectMembers {
    /// The members of `json`, if it is an object.
    pub(crate) fn from_json(json: &Json) -> Option<Self> {
        json.read().ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The last value under any of these names; `null` counts as absent.
    pub(crate) fn get(&self, names: &[&str]) -> Option<&Json> {
        let found = self.0.iter().rev().find(|(name, _)| names.contains(&name.as_str()));
        found.map(|(_, value)| value).filter(|value| value.as_str() != "null")
    }

    /// Removes all members with these names and returns the last value, `null` included.
    pub(crate) fn take(&mut self, names: &[&str]) -> Option<Json> {
        let mut last = None;
        for (_, value) in self.0.extract_if(.., |(name, _)| names.contains(&name.as_str())) {
            last = Some(value);
        }
        last
    }

    /// [`ObjectMembers::take`] for a string; `None` if the value is `null` or not a string.
    pub(crate) fn take_text(&mut self, names: &[&str]) -> Option<String> {
        self.take(names).and_then(|value| value.read().ok())
    }

    pub(crate) fn put(&mut self, name: &str, value: Json) {
        self.0.push((name.to_owned(), value));
    }

    pub(crate) fn put_text(&mut self, name: &str, text: Option<String>) {
        if let Some(text) = text {
            self.put(name, Json::string(&text));
        }
    }

    pub(crate) fn extend(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    /// Splits off the members that `chosen` selects.
    pub(crate) fn split_off(&mut self, chosen: impl Fn(&str, &Json) -> bool) -> Self {
        Self(self.0.extract_if(.., |(name, value)| chosen(name, value)).collect())
    }

    pub(crate) fn into_json(self) -> Json {
        Json::from_serializable(&self).unwrap_or_else(|_| Json::from(serde_json::json!({})))
    }
}

impl Serialize for ObjectMembers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for ObjectMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = ObjectMembers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ObjectMembers, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(ObjectMembers(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}
