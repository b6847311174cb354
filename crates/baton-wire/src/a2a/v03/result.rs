//! Results. They have no wrapper; `kind` distinguishes them.

use super::{Message, Task, TaskArtifactUpdateEvent, TaskStatusUpdateEvent, request_path::RequestPath};
use crate::a2a::v1::{self, Error, ErrorKind};
use baton_types::Violations;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _, IgnoredAny},
};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Response to a send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendResult<'a> {
    /// The task that the message started or continued.
    Task(Task<'a>),
    /// A direct answer without a task.
    Message(Message<'a>),
}

/// One item of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamItem<'a> {
    /// The full task.
    Task(Task<'a>),
    /// A direct answer without a task.
    Message(Message<'a>),
    /// A status change or a message of the agent.
    StatusUpdate(TaskStatusUpdateEvent<'a>),
    /// A new or extended artifact.
    ArtifactUpdate(TaskArtifactUpdateEvent<'a>),
}

impl<'a> StreamItem<'a> {
    /// The item in 0.3; `last` marks the end of the stream.
    pub fn from_v1(item: v1::StreamResponse<'a>, last: bool) -> Self {
        match item {
            v1::StreamResponse { status_update: Some(event), .. } => {
                Self::StatusUpdate(TaskStatusUpdateEvent::from_v1(event, last))
            }
            v1::StreamResponse { artifact_update: Some(event), .. } => Self::ArtifactUpdate(event.into()),
            v1::StreamResponse { message: Some(message), .. } => Self::Message(message.into()),
            v1::StreamResponse { task, .. } => Self::Task(task.unwrap_or_default().into()),
        }
    }

    /// Whether the server marks the end of the stream.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Message(_) | Self::StatusUpdate(TaskStatusUpdateEvent { is_final: true, .. }))
    }

    /// The item in 1.0, or all violations.
    pub fn into_v1(self) -> Result<v1::StreamResponse<'a>, Error> {
        let (mut violations, mut item) = (Violations::default(), v1::StreamResponse::default());
        match self {
            Self::Task(task) => item.task = Some(task.read(RequestPath::Root, &mut violations)),
            Self::Message(message) => item.message = Some(message.read(RequestPath::Root, &mut violations)),
            Self::StatusUpdate(event) => item.status_update = Some(event.read(RequestPath::Root, &mut violations)),
            Self::ArtifactUpdate(event) => item.artifact_update = Some(event.read(RequestPath::Root, &mut violations)),
        }
        violations.into_result(item).map_err(Error::invalid_params)
    }
}

impl<'a> SendResult<'a> {
    /// The response in 1.0, or all violations.
    pub fn into_v1(self) -> Result<v1::SendMessageResponse<'a>, Error> {
        let empty = v1::SendMessageResponse::default();
        match self {
            Self::Task(task) => Ok(v1::SendMessageResponse { task: Some(task.into_v1()?), ..empty }),
            Self::Message(message) => Ok(v1::SendMessageResponse { message: Some(message.into_v1()?), ..empty }),
        }
    }
}

impl<'a> From<v1::SendMessageResponse<'a>> for SendResult<'a> {
    fn from(answer: v1::SendMessageResponse<'a>) -> Self {
        match answer.message {
            Some(message) => Self::Message(message.into()),
            None => Self::Task(answer.task.unwrap_or_default().into()),
        }
    }
}

impl Serialize for SendResult<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Task(task) => task.serialize(serializer),
            Self::Message(message) => message.serialize(serializer),
        }
    }
}

impl Serialize for StreamItem<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Task(task) => task.serialize(serializer),
            Self::Message(message) => message.serialize(serializer),
            Self::StatusUpdate(event) => event.serialize(serializer),
            Self::ArtifactUpdate(event) => event.serialize(serializer),
        }
    }
}

/// Members that distinguish results without a `kind`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResultShape<'a> {
    #[serde(borrow)]
    kind: Option<Cow<'a, str>>,
    status: Option<IgnoredAny>,
    artifact: Option<IgnoredAny>,
    parts: Option<IgnoredAny>,
    #[serde(alias = "task_id")]
    task_id: Option<IgnoredAny>,
}

impl ResultShape<'_> {
    fn kind(&self) -> &str {
        match &self.kind {
            Some(kind) => kind,
            None if self.artifact.is_some() => "artifact-update",
            None if self.parts.is_some() => "message",
            None if self.status.is_some() && self.task_id.is_some() => "status-update",
            None if self.status.is_some() => "task",
            None => "",
        }
    }
}

fn read<T: DeserializeOwned, E: serde::de::Error>(json: &RawValue) -> Result<T, E> {
    serde_json::from_str(json.get()).map_err(E::custom)
}

// Raw values do not work inside serde's tagged enums, so the text is parsed twice.
impl<'de> Deserialize<'de> for StreamItem<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        if !json.get().starts_with('{') {
            return Err(D::Error::custom("expected an object with a kind"));
        }
        match serde_json::from_str::<ResultShape<'_>>(json.get()).map_err(D::Error::custom)?.kind() {
            "task" => read(&json).map(Self::Task),
            "message" => read(&json).map(Self::Message),
            "status-update" => read(&json).map(Self::StatusUpdate),
            "artifact-update" => read(&json).map(Self::ArtifactUpdate),
            _ => Err(D::Error::custom("kind must be task, message, status-update or artifact-update")),
        }
    }
}

impl<'de> Deserialize<'de> for SendResult<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match StreamItem::deserialize(deserializer)? {
            StreamItem::Task(task) => Ok(Self::Task(task)),
            StreamItem::Message(message) => Ok(Self::Message(message)),
            _ => Err(D::Error::custom("kind must be task or message")),
        }
    }
}

/// The error of a JSON-RPC response in 0.3; kinds introduced in 1.0 become internal errors with the same details.
pub fn error_object(error: &Error) -> v1::ErrorObject {
    let mut object = v1::ErrorObject::from(error);
    if matches!(
        error.kind,
        ErrorKind::ExtensionSupportRequired | ErrorKind::VersionNotSupported | ErrorKind::TaskGenerationMismatch
    ) {
        object.code = ErrorKind::Internal.rpc_code();
    }
    object
}
