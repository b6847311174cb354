//! One card for clients of either version.

use super::AgentCard;
use crate::{a2a::v1, members::ObjectMembers};
use baton_types::Json;
use serde::{Serialize, Serializer, ser::Error as _};
use std::collections::BTreeMap;

/// A 1.0 card serialized together with the members that only 0.3 clients read.
///
/// These are omitted if no interface of the card uses 0.3. Members that exist in both versions are merged recursively,
/// such as those of a security scheme; the 1.0 value takes precedence.
#[derive(Clone, Copy, Debug)]
pub struct UnionCard<'a>(&'a v1::AgentCard);

impl<'a> UnionCard<'a> {
    /// The union for a card.
    pub fn new(card: &'a v1::AgentCard) -> Self {
        Self(card)
    }
}

impl Serialize for UnionCard<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.0.supported_interfaces.iter().any(v1::is_older) {
            return self.0.serialize(serializer);
        }
        let new = Json::from_serializable(self.0).map_err(S::Error::custom)?;
        let old = Json::from_serializable(&AgentCard::from(self.0.clone())).map_err(S::Error::custom)?;
        merge(new, &old).serialize(serializer)
    }
}

/// Merges into `base` the members that only `more` has.
fn merge(base: Json, more: &Json) -> Json {
    // Equal values keep their exact text: payloads of third parties may contain duplicate members.
    if base == *more {
        return base;
    }
    if let (Some(mut members), Some(more)) = (ObjectMembers::from_json(&base), ObjectMembers::from_json(more)) {
        let positions = members.0.iter().enumerate().rev().map(|(position, (name, _))| (name.clone(), position));
        let mut positions: BTreeMap<String, usize> = positions.collect();
        for (name, value) in more.0 {
            match positions.get(&name).and_then(|position| members.0.get_mut(*position)) {
                Some((_, known)) => *known = merge(known.clone(), &value),
                None => {
                    positions.insert(name.clone(), members.0.len());
                    members.0.push((name, value));
                }
            }
        }
        return members.into_json();
    }
    if let (Ok(items), Ok(more)) = (base.read::<Vec<Json>>(), more.read::<Vec<Json>>()) {
        let mut more = more.iter();
        let items: Vec<Json> =
            items.into_iter().map(|item| more.next().map_or(item.clone(), |other| merge(item, other))).collect();
        return Json::from_serializable(&items).unwrap_or(base);
    }
    base
}
