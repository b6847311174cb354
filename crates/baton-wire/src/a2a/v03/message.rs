//! Wire form of a message.

use super::{Part, Role, request_path::RequestPath};
use crate::{
    a2a::v1::{self, Error},
    de,
};
use baton_types::{Json, Violations};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One complete message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, tag = "kind", rename = "message")]
pub struct Message<'a> {
    /// Id, chosen by the sender.
    #[serde(alias = "message_id", deserialize_with = "de::or_default")]
    pub message_id: Cow<'a, str>,
    /// Context id.
    #[serde(skip_serializing_if = "Option::is_none", alias = "context_id")]
    pub context_id: Option<Cow<'a, str>>,
    /// Task id.
    #[serde(skip_serializing_if = "Option::is_none", alias = "task_id")]
    pub task_id: Option<Cow<'a, str>>,
    /// Role of the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// The content.
    #[serde(deserialize_with = "de::objects")]
    pub parts: Vec<Part<'a>>,
    /// JSON object, defined by the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// Extension URIs that the message uses.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::or_default")]
    pub extensions: Vec<Cow<'a, str>>,
    /// Ids of earlier tasks that it refers to.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "reference_task_ids", deserialize_with = "de::or_default")]
    pub reference_task_ids: Vec<Cow<'a, str>>,
}

impl<'a> Message<'a> {
    /// The message in 1.0, or all violations.
    pub fn into_v1(self) -> Result<v1::Message<'a>, Error> {
        let mut violations = Violations::default();
        let message = self.read(RequestPath::Root, &mut violations);
        violations.into_result(message).map_err(Error::invalid_params)
    }

    /// The message in 1.0 without invalid parts, which go to `violations`.
    pub(super) fn read(self, at: RequestPath<'_>, violations: &mut Violations) -> v1::Message<'a> {
        v1::Message {
            message_id: self.message_id,
            context_id: self.context_id,
            task_id: self.task_id,
            role: self.role.map(Role::into_v1).unwrap_or_default(),
            parts: read_all(self.parts, at.field("parts"), violations, Part::read),
            metadata: self.metadata,
            extensions: self.extensions,
            reference_task_ids: self.reference_task_ids,
        }
    }
}

/// Converts all items and skips the invalid ones.
pub(super) fn read_all<T, U>(
    items: Vec<T>,
    at: RequestPath<'_>,
    violations: &mut Violations,
    read: impl Fn(T, RequestPath<'_>, &mut Violations) -> Option<U>,
) -> Vec<U> {
    items.into_iter().enumerate().filter_map(|(index, item)| read(item, at.item(index), violations)).collect()
}

impl<'a> From<v1::Message<'a>> for Message<'a> {
    fn from(message: v1::Message<'a>) -> Self {
        Self {
            message_id: message.message_id,
            context_id: message.context_id,
            task_id: message.task_id,
            role: Role::from_v1(message.role),
            parts: message.parts.into_iter().map(Part::from).collect(),
            metadata: message.metadata,
            extensions: message.extensions,
            reference_task_ids: message.reference_task_ids,
        }
    }
}
