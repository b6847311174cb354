//! Parsed JSON document with its members in canonical order.

use super::{CanonicalJsonError, MAX_CANONICAL_DEPTH, text};
use crate::depth_within;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;
use std::fmt;

/// Any JSON value; numbers are doubles.
#[derive(Clone, Debug, PartialEq)]
pub enum CanonicalValue {
    /// `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// A finite number.
    Number(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<CanonicalValue>),
    /// In canonical order; names are unique.
    Object(Vec<(String, CanonicalValue)>),
}

impl CanonicalValue {
    /// Parses a JSON text.
    pub fn read(json: &str) -> Result<Self, CanonicalJsonError> {
        if !depth_within(json.as_bytes(), MAX_CANONICAL_DEPTH) {
            return Err(CanonicalJsonError::TooDeep);
        }
        Self::from_raw(parse::<&RawValue>(json)?)
    }

    fn from_raw(raw: &RawValue) -> Result<Self, CanonicalJsonError> {
        let json = raw.get();
        match json.as_bytes().first() {
            Some(b'{') => Self::object(parse::<RawMembers<'_>>(json)?.0),
            Some(b'[') => {
                parse::<Vec<&RawValue>>(json)?.into_iter().map(Self::from_raw).collect::<Result<_, _>>().map(Self::List)
            }
            Some(b'"') => parse(json).map(Self::Text),
            Some(b't' | b'f') => parse(json).map(Self::Bool),
            Some(b'n') => Ok(Self::Null),
            // The JSON parser may be off by one in the last digit.
            _ => match json.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Self::Number(number)),
                Ok(_) => Err(CanonicalJsonError::NotFinite(json.chars().take(32).collect())),
                Err(error) => Err(CanonicalJsonError::NotJson(error.to_string())),
            },
        }
    }

    fn object(raw: Vec<(String, &RawValue)>) -> Result<Self, CanonicalJsonError> {
        let members = raw.into_iter().map(|(name, value)| Ok((name, Self::from_raw(value)?)));
        let mut members = members.collect::<Result<Vec<_>, _>>()?;
        members.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
        match members.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            Some(pair) => Err(CanonicalJsonError::Duplicate(pair[0].0.chars().take(64).collect())),
            None => Ok(Self::Object(members)),
        }
    }

    /// The canonical text.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            // The shortest digits that Rust prints differ where two candidates are equally near.
            Self::Number(value) => out.push_str(ryu_js::Buffer::new().format_finite(*value)),
            Self::Text(value) => text::write(out, value),
            Self::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (at, (name, value)) in members.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    text::write(out, name);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// Whether a parser treats this value like an absent member.
    pub fn is_default(&self) -> bool {
        match self {
            Self::Null | Self::Bool(false) => true,
            Self::Text(text) => text.is_empty(),
            Self::List(items) => items.is_empty(),
            Self::Object(members) => members.is_empty(),
            Self::Bool(true) | Self::Number(_) => false,
        }
    }

    /// The values of an object or a list.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Self> {
        let (members, items) = match self {
            Self::Object(members) => (Some(members), None),
            Self::List(items) => (None, Some(items)),
            _ => (None, None),
        };
        members.into_iter().flatten().map(|(_, value)| value).chain(items.into_iter().flatten())
    }

    /// The values inside the member `name`.
    pub fn inside_mut(&mut self, name: &str) -> impl Iterator<Item = &mut Self> {
        self.member_mut(name).into_iter().flat_map(Self::values_mut)
    }

    /// The member `name`.
    pub fn member_mut(&mut self, name: &str) -> Option<&mut Self> {
        let Self::Object(members) = self else { return None };
        members.iter_mut().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// Removes the members that `unwanted` selects.
    pub fn remove(&mut self, unwanted: impl Fn(&str, &Self) -> bool) {
        if let Self::Object(members) = self {
            members.retain(|(name, value)| !unwanted(name, value));
        }
    }
}

fn parse<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, CanonicalJsonError> {
    serde_json::from_str(json).map_err(|error| CanonicalJsonError::NotJson(error.to_string()))
}

/// All members, duplicates included.
struct RawMembers<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for RawMembers<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RawMembersVisitor;
        impl<'de> Visitor<'de> for RawMembersVisitor {
            type Value = RawMembers<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(RawMembers(members))
            }
        }
        deserializer.deserialize_map(RawMembersVisitor)
    }
}
