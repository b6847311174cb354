//! What a stream carries.

use super::{Artifact, Message, Task, TaskStatus};
use crate::de;
use baton_types::Json;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One item of a stream; exactly one member is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StreamResponse<'a> {
    /// The whole task.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub task: Option<Task<'a>>,
    /// A direct answer without a task.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub message: Option<Message<'a>>,
    /// The task moved or the agent said something.
    #[serde(skip_serializing_if = "Option::is_none", alias = "status_update", deserialize_with = "de::maybe_object")]
    pub status_update: Option<TaskStatusUpdateEvent<'a>>,
    /// An output came or grew.
    #[serde(skip_serializing_if = "Option::is_none", alias = "artifact_update", deserialize_with = "de::maybe_object")]
    pub artifact_update: Option<TaskArtifactUpdateEvent<'a>>,
}

/// The task moved or the agent said something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskStatusUpdateEvent<'a> {
    /// The task.
    #[serde(alias = "task_id", deserialize_with = "de::or_default")]
    pub task_id: Cow<'a, str>,
    /// The conversation.
    #[serde(alias = "context_id", deserialize_with = "de::or_default")]
    pub context_id: Cow<'a, str>,
    /// Where the task stands now.
    #[serde(deserialize_with = "de::object")]
    pub status: TaskStatus<'a>,
    /// More about the step behind it, as a JSON object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

/// An output came or grew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskArtifactUpdateEvent<'a> {
    /// The task.
    #[serde(alias = "task_id", deserialize_with = "de::or_default")]
    pub task_id: Cow<'a, str>,
    /// The conversation.
    #[serde(alias = "context_id", deserialize_with = "de::or_default")]
    pub context_id: Cow<'a, str>,
    /// The output, or its next piece.
    #[serde(deserialize_with = "de::object")]
    pub artifact: Artifact<'a>,
    /// Whether the parts extend what came before instead of replacing it.
    #[serde(deserialize_with = "de::or_default")]
    pub append: bool,
    /// Whether this was all of it.
    #[serde(alias = "last_chunk", deserialize_with = "de::or_default")]
    pub last_chunk: bool,
    /// A JSON object of the agent's.
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
