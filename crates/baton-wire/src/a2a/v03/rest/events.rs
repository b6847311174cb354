//! Responses to unary sends, and stream items.

use super::{Artifact, Message, Task, TaskStatus};
use crate::{
    a2a::{
        v1::{self, Error},
        v03::{enums::is_terminal, request_path::RequestPath},
    },
    de,
};
use baton_types::{Json, Violations};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Response to a send; exactly one member is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SendMessageResponse<'a> {
    /// The task that the message started or continued.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub task: Option<Task<'a>>,
    /// A direct answer without a task. The proto field is `msg`; its JSON name is `message`.
    #[serde(skip_serializing_if = "Option::is_none", alias = "msg", deserialize_with = "de::maybe_object")]
    pub message: Option<Message<'a>>,
}

/// One item of a stream; exactly one member is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StreamResponse<'a> {
    /// The full task.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub task: Option<Task<'a>>,
    /// A direct answer without a task. The proto field is `msg`; its JSON name is `message`.
    #[serde(skip_serializing_if = "Option::is_none", alias = "msg", deserialize_with = "de::maybe_object")]
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
    /// Whether the stream ends with this event.
    #[serde(rename = "final", deserialize_with = "de::or_default")]
    pub is_final: bool,
    /// JSON object, defined by the agent.
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

impl<'a> SendMessageResponse<'a> {
    /// The response in 1.0, or all violations.
    pub fn into_v1(self) -> Result<v1::SendMessageResponse<'a>, Error> {
        let (mut violations, at) = (Violations::default(), RequestPath::Root);
        let answer = v1::SendMessageResponse {
            task: self.task.map(|task| task.read(at.field("task"), &mut violations)),
            message: self.message.map(|message| message.read(at.field("message"), &mut violations)),
        };
        violations.into_result(answer).map_err(Error::invalid_params)
    }
}

impl<'a> From<v1::SendMessageResponse<'a>> for SendMessageResponse<'a> {
    fn from(answer: v1::SendMessageResponse<'a>) -> Self {
        Self { task: answer.task.map(Task::from), message: answer.message.map(Message::from) }
    }
}

impl<'a> StreamResponse<'a> {
    /// The item in 0.3; `last` marks the end of the stream.
    pub fn from_v1(item: v1::StreamResponse<'a>, last: bool) -> Self {
        Self {
            task: item.task.map(Task::from),
            message: item.message.map(Message::from),
            status_update: item.status_update.map(|event| TaskStatusUpdateEvent::from_v1(event, last)),
            artifact_update: item.artifact_update.map(TaskArtifactUpdateEvent::from),
        }
    }

    /// Whether the server marks the end of the stream.
    pub fn is_final(&self) -> bool {
        self.message.is_some() || self.status_update.as_ref().is_some_and(|event| event.is_final)
    }

    /// The item in 1.0, or all violations.
    pub fn into_v1(self) -> Result<v1::StreamResponse<'a>, Error> {
        let (mut violations, at) = (Violations::default(), RequestPath::Root);
        let item = v1::StreamResponse {
            task: self.task.map(|task| task.read(at.field("task"), &mut violations)),
            message: self.message.map(|message| message.read(at.field("message"), &mut violations)),
            status_update: self.status_update.map(|event| event.read(at.field("statusUpdate"), &mut violations)),
            artifact_update: self.artifact_update.map(|event| event.read(at.field("artifactUpdate"), &mut violations)),
        };
        violations.into_result(item).map_err(Error::invalid_params)
    }
}

impl<'a> TaskStatusUpdateEvent<'a> {
    fn from_v1(event: v1::TaskStatusUpdateEvent<'a>, last: bool) -> Self {
        Self {
            is_final: last || is_terminal(event.status.state),
            task_id: event.task_id,
            context_id: event.context_id,
            status: event.status.into(),
            metadata: event.metadata,
        }
    }

    fn read(self, at: RequestPath<'_>, violations: &mut Violations) -> v1::TaskStatusUpdateEvent<'a> {
        v1::TaskStatusUpdateEvent {
            task_id: self.task_id,
            context_id: self.context_id,
            status: self.status.read(at.field("status"), violations),
            metadata: self.metadata,
        }
    }
}

impl<'a> TaskArtifactUpdateEvent<'a> {
    fn read(self, at: RequestPath<'_>, violations: &mut Violations) -> v1::TaskArtifactUpdateEvent<'a> {
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
