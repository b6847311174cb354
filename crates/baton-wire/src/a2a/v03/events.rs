//! Stream items.

use super::{Artifact, TaskStatus, enums::is_terminal, request_path::RequestPath};
use crate::{a2a::v1, de};
use baton_types::{Json, Violations};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A status change or a message of the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, tag = "kind", rename = "status-update")]
pub struct TaskStatusUpdateEvent<'a> {
    /// Task id.
    #[serde(alias = "task_id", deserialize_with = "de::or_default")]
    pub task_id: Cow<'a, str>,
    /// Context id.
    #[serde(alias = "context_id", deserialize_with = "de::or_default")]
    pub context_id: Cow<'a, str>,
    /// Current status.
    #[serde(deserialize_with = "de::object")]
    pub status: TaskStatus<'a>,
    /// Whether the stream ends with this event.
    #[serde(rename = "final", deserialize_with = "de::or_default")]
    pub is_final: bool,
    /// JSON object, defined by the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

/// A new or extended artifact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, tag = "kind", rename = "artifact-update")]
pub struct TaskArtifactUpdateEvent<'a> {
    /// Task id.
    #[serde(alias = "task_id", deserialize_with = "de::or_default")]
    pub task_id: Cow<'a, str>,
    /// Context id.
    #[serde(alias = "context_id", deserialize_with = "de::or_default")]
    pub context_id: Cow<'a, str>,
    /// The artifact or its next chunk.
    #[serde(deserialize_with = "de::object")]
    pub artifact: Artifact<'a>,
    /// Whether the parts are appended to the earlier ones instead of replacing them.
    #[serde(deserialize_with = "de::or_default")]
    pub append: bool,
    /// Whether this is the last chunk.
    #[serde(alias = "last_chunk", deserialize_with = "de::or_default")]
    pub last_chunk: bool,
    /// JSON object, defined by the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

impl<'a> TaskStatusUpdateEvent<'a> {
    /// The event in 0.3; it is final if it is the last of its stream or its state is terminal.
    pub fn from_v1(event: v1::TaskStatusUpdateEvent<'a>, last: bool) -> Self {
        Self {
            is_final: last || is_terminal(event.status.state),
            task_id: event.task_id,
            context_id: event.context_id,
            status: event.status.into(),
            metadata: event.metadata,
        }
    }

    pub(super) fn read(self, at: RequestPath<'_>, violations: &mut Violations) -> v1::TaskStatusUpdateEvent<'a> {
        v1::TaskStatusUpdateEvent {
            task_id: self.task_id,
            context_id: self.context_id,
            status: self.status.read(at.field("status"), violations),
            metadata: self.metadata,
        }
    }
}

impl<'a> TaskArtifactUpdateEvent<'a> {
    pub(super) fn read(self, at: RequestPath<'_>, violations: &mut Violations) -> v1::TaskArtifactUpdateEvent<'a> {
        v1::TaskArtifactUpdateEvent {
            task_id: self.task_id,
            context_id: self.context_id,
            artifact: self.artifact.read(at.field("artifact"), violations),
            append: self.append,
            last_chunk: self.last_chunk,
            metadata: self.metadata,
        }
    }
}

impl<'a> From<v1::TaskArtifactUpdateEvent<'a>> for TaskArtifactUpdateEvent<'a> {
    fn from(event: v1::TaskArtifactUpdateEvent<'a>) -> Self {
        Self {
            task_id: event.task_id,
            context_id: event.context_id,
            artifact: event.artifact.into(),
            append: event.append,
            last_chunk: event.last_chunk,
            metadata: event.metadata,
        }
    }
}
