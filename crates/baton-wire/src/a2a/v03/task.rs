//! Wire form of a task and its artifacts.

use super::{Message, Part, TaskState, message::read_all, request_path::RequestPath};
use crate::{
    a2a::v1::{self, Error},
    de,
};
use baton_types::{Json, Timestamp, Violations};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// A task with its status, history and artifacts; also the body of a push notification.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, tag = "kind", rename = "task")]
pub struct Task<'a> {
    /// Its id.
    #[serde(deserialize_with = "de::or_default")]
    pub id: Cow<'a, str>,
    /// Context id.
    #[serde(alias = "context_id", deserialize_with = "de::or_default")]
    pub context_id: Cow<'a, str>,
    /// Current status.
    #[serde(deserialize_with = "de::object")]
    pub status: TaskStatus<'a>,
    /// Artifacts; absent if not requested.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_objects")]
    pub artifacts: Option<Vec<Artifact<'a>>>,
    /// Messages, oldest first; absent if not requested.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_objects")]
    pub history: Option<Vec<Message<'a>>>,
    /// JSON object, defined by the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

/// State of a task with an optional message of the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskStatus<'a> {
    /// The state.
    #[serde(deserialize_with = "de::or_default")]
    pub state: TaskState,
    /// Message of the agent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub message: Option<Message<'a>>,
    /// Time of the last status change.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "baton_types::rfc3339::serialize",
        deserialize_with = "tolerant_timestamp"
    )]
    pub timestamp: Option<Timestamp>,
}

/// An output of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Artifact<'a> {
    /// Unique within the task.
    #[serde(alias = "artifact_id", deserialize_with = "de::or_default")]
    pub artifact_id: Cow<'a, str>,
    /// Display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Cow<'a, str>>,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Cow<'a, str>>,
    /// The content.
    #[serde(deserialize_with = "de::objects")]
    pub parts: Vec<Part<'a>>,
    /// JSON object, defined by the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
    /// Extension URIs that the artifact uses.
    #[serde(skip_serializing_if = "Vec::is_empty", deserialize_with = "de::or_default")]
    pub extensions: Vec<Cow<'a, str>>,
}

/// In 0.3 the timestamp is an arbitrary string. Without a time zone it is interpreted as UTC; invalid text counts as
/// absent.
fn tolerant_timestamp<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let text = Option::<Cow<'_, str>>::deserialize(deserializer)?;
    Ok(text.and_then(|text| Timestamp::parse(&text).or_else(|_| Timestamp::parse(&format!("{text}Z"))).ok()))
}

impl<'a> Task<'a> {
    /// The task in 1.0, or all violations.
    pub fn into_v1(self) -> Result<v1::Task<'a>, Error> {
        let mut violations = Violations::default();
        let task = self.read(RequestPath::Root, &mut violations);
        violations.into_result(task).map_err(Error::invalid_params)
    }

    pub(super) fn read(self, at: RequestPath<'_>, violations: &mut Violations) -> v1::Task<'a> {
        let status = self.status.read(at.field("status"), violations);
        let artifacts = self
            .artifacts
            .map(|list| read_all(list, at.field("artifacts"), violations, |item, at, out| Some(item.read(at, out))));
        let history = self
            .history
            .map(|list| read_all(list, at.field("history"), violations, |item, at, out| Some(item.read(at, out))));
        v1::Task { id: self.id, context_id: self.context_id, status, artifacts, history, metadata: self.metadata }
    }
}

impl<'a> TaskStatus<'a> {
    pub(super) fn read(self, at: RequestPath<'_>, violations: &mut Violations) -> v1::TaskStatus<'a> {
        v1::TaskStatus {
            state: self.state.into(),
            message: self.message.map(|message| message.read(at.field("message"), violations)),
            timestamp: self.timestamp,
        }
    }
}

impl<'a> Artifact<'a> {
    pub(super) fn read(self, at: RequestPath<'_>, violations: &mut Violations) -> v1::Artifact<'a> {
        v1::Artifact {
            artifact_id: self.artifact_id,
            name: self.name,
            description: self.description,
            parts: read_all(self.parts, at.field("parts"), violations, Part::read),
            metadata: self.metadata,
            extensions: self.extensions,
        }
    }
}

impl<'a> From<v1::Task<'a>> for Task<'a> {
    fn from(task: v1::Task<'a>) -> Self {
        Self {
            id: task.id,
            context_id: task.context_id,
            status: task.status.into(),
            artifacts: task.artifacts.map(|list| list.into_iter().map(Artifact::from).collect()),
            history: task.history.map(|list| list.into_iter().map(Message::from).collect()),
            metadata: task.metadata,
        }
    }
}

impl<'a> From<v1::TaskStatus<'a>> for TaskStatus<'a> {
    fn from(status: v1::TaskStatus<'a>) -> Self {
        Self { state: status.state.into(), message: status.message.map(Message::from), timestamp: status.timestamp }
    }
}

impl<'a> From<v1::Artifact<'a>> for Artifact<'a> {
    fn from(artifact: v1::Artifact<'a>) -> Self {
        Self {
            artifact_id: artifact.artifact_id,
            name: artifact.name,
            description: artifact.description,
            parts: artifact.parts.into_iter().map(Part::from).collect(),
            metadata: artifact.metadata,
            extensions: artifact.extensions,
        }
    }
}
