//! Wire form of a message.

use super::{Part, Role, metadata};
use crate::{a2a::v1, de, members::ObjectMembers};
use baton_types::{Json, Violations};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One complete message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Message {
    /// Id, chosen by the sender; empty if the receiver is to generate it.
    #[serde(alias = "message_id", deserialize_with = "de::or_default")]
    pub message_id: String,
    /// Role of the sender.
    #[serde(deserialize_with = "de::or_default")]
    pub role: Role,
    /// The content.
    #[serde(deserialize_with = "de::or_default")]
    pub parts: Vec<Part>,
    /// Time of the message as the sender wrote it; ContextCore sometimes omits the time zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// Context id.
    #[serde(skip_serializing_if = "Option::is_none", alias = "context_id")]
    pub context_id: Option<String>,
    /// Id of the task that it continues.
    #[serde(skip_serializing_if = "Option::is_none", alias = "task_id")]
    pub task_id: Option<String>,
    /// Agent that wrote it.
    #[serde(skip_serializing_if = "Option::is_none", alias = "agent_id")]
    pub agent_id: Option<String>,
    /// Session id of the sender.
    #[serde(skip_serializing_if = "Option::is_none", alias = "session_id")]
    pub session_id: Option<String>,
    /// Conversation id of the sender; used as the context id of a send without one.
    #[serde(skip_serializing_if = "Option::is_none", alias = "conversation_id")]
    pub conversation_id: Option<String>,
    /// JSON object, defined by the sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// Extension URIs that the message uses.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::or_default")]
    pub extensions: Vec<String>,
    /// Ids of earlier tasks that it refers to.
    #[serde(skip_serializing_if = "Vec::is_empty", alias = "reference_task_ids", deserialize_with = "de::or_default")]
    pub reference_task_ids: Vec<String>,
}

impl Message {
    /// Converts to 1.0; validation errors go to `violations` under `path`.
    ///
    /// A system message is marked as such and attributed to the caller, because the agent did not write it.
    pub fn into_v1(self, path: &str, violations: &mut Violations) -> v1::Message<'static> {
        let mut own = ObjectMembers::default();
        own.put_text("timestamp", self.timestamp);
        own.put_text("agentId", self.agent_id);
        own.put_text("sessionId", self.session_id);
        own.put_text("conversationId", self.conversation_id);
        if self.role == Role::System {
            own.put("role", Json::string(Role::System.as_str()));
        }
        let parts = self.parts.into_iter().enumerate();
        v1::Message {
            message_id: self.message_id.into(),
            context_id: self.context_id.map(Cow::Owned),
            task_id: self.task_id.map(Cow::Owned),
            role: match self.role {
                Role::User | Role::System => v1::Role::User,
                Role::Agent => v1::Role::Agent,
            },
            parts: parts
                .filter_map(|(index, part)| part.into_v1(&format!("{path}.parts[{index}]"), violations))
                .collect(),
            metadata: metadata::add(self.metadata, own, || format!("{path}.metadata"), violations),
            extensions: self.extensions.into_iter().map(Cow::Owned).collect(),
            reference_task_ids: self.reference_task_ids.into_iter().map(Cow::Owned).collect(),
        }
    }
}

impl From<v1::Message<'_>> for Message {
    fn from(message: v1::Message<'_>) -> Self {
        let is_user = message.role != v1::Role::Agent;
        let (metadata, mut own) = metadata::extract(message.metadata, |name, value| match name {
            "timestamp" | "agentId" | "sessionId" | "conversationId" => metadata::is_text(value),
            "role" => is_user && value.as_str() == "\"system\"",
            _ => false,
        });
        let role = match own.take(&["role"]) {
            Some(_) => Role::System,
            None if is_user => Role::User,
            None => Role::Agent,
        };
        Self {
            message_id: message.message_id.into_owned(),
            role,
            parts: message.parts.into_iter().map(Part::from).collect(),
            timestamp: own.take_text(&["timestamp"]),
            context_id: message.context_id.map(Cow::into_owned),
            task_id: message.task_id.map(Cow::into_owned),
            agent_id: own.take_text(&["agentId"]),
            session_id: own.take_text(&["sessionId"]),
            conversation_id: own.take_text(&["conversationId"]),
            metadata,
            extensions: message.extensions.into_iter().map(Cow::into_owned).collect(),
            reference_task_ids: message.reference_task_ids.into_iter().map(Cow::into_owned).collect(),
        }
    }
}
