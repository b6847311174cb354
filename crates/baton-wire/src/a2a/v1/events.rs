//! Stream items.

use super::{Artifact, Message, Task, TaskStatus};
use crate::de;
use baton_types::Json;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One item of a stream; exactly one member is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StreamResponse<'a> {
    /// The full task.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub task: Option<Task<'a>>,
    /// A direct answer without a task.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub message: Option<Message<'a>>,
    /// A status change or a message of the agent.
    #[serde(skip_serializing_if = "Option::is_none", alias = "status_update", deserialize_with = "de::maybe_object")]
    pub status_update: Option<TaskStatusUpdateEvent<'a>>,
    /// A new or extended artifact.
    #[serde(skip_serializing_if = "Option::is_none", alias = "artifact_update", deserialize_with = "de::maybe_object")]
    pub artifact_update: Option<TaskArtifactUpdateEvent<'a>>,
}

/// A status change or a message of the agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
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
    /// Details of the step behind the update, a JSON object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

/// A new or extended artifact.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
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

impl<'a> From<Task<'a>> for StreamResponse<'a> {
    fn from(task: Task<'a>) -> Self {
        Self { task: Some(task), ..Self::default() }
    }
}

impl<'a> From<TaskStatusUpdateEvent<'a>> for StreamResponse<'a> {
    fn from(update: TaskStatusUpdateEvent<'a>) -> Self {
        Self { status_update: Some(update), ..Self::default() }
    }
}

impl<'a> From<TaskArtifactUpdateEvent<'a>> for StreamResponse<'a> {
    fn from(update: TaskArtifactUpdateEvent<'a>) -> Self {
        Self { artifact_update: Some(update), ..Self::default() }
    }
}
