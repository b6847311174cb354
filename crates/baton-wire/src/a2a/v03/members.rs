//! The members of a JSON object in their order, with every digit of their values.

use baton_types::Json;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};
use std::fmt;

/// A JSON object taken apart one level deep.
pub(super) struct Members(pub(super) Vec<(String, Json)>);

impl Members {
    /// The members of `json`, or `None` when it is not an object.
    pub(super) fn of(json: &Json) -> Option<Self> {
        json.is_object().then(|| json.read().ok()).flatten()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Json> {
        self.0.iter().find_map(|(known, value)| (known == name).then_some(value))
    }

    /// Puts the object together again.
    pub(super) fn into_json(self) -> Json {
        Json::of(&self).unwrap_or_else(|_| Json::from(serde_json::Value::Null))
    }
}

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Members;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
