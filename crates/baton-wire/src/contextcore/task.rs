//! Wire form of a task.

use super::{Artifact, Message, Role, State, metadata};
use crate::{
    a2a::v1::{self, Error},
    de,
    members::ObjectMembers,
};
use baton_types::{AgentName, Json, TaskId, Timestamp, Violations};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// A task with its status, history and artifacts.
///
/// 1.0 has no creation time. `createdTime` is therefore absent, unless the task was received with one from another
/// ContextCore, or [`Task::with_created_time`] sets it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Its id.
    #[serde(alias = "task_id")]
    pub task_id: String,
    /// Context id.
    #[serde(alias = "context_id", default, deserialize_with = "de::or_default")]
    pub context_id: String,
    /// Current state.
    pub status: State,
    /// Messages, oldest first.
    #[serde(default, deserialize_with = "de::or_default")]
    pub messages: Vec<Message>,
    /// Artifacts, oldest first.
    #[serde(default, deserialize_with = "de::or_default")]
    pub artifacts: Vec<Artifact>,
    /// Time of creation.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "created_time",
        default,
        serialize_with = "baton_types::rfc3339::serialize",
        deserialize_with = "lenient_timestamp"
    )]
    pub created_time: Option<Timestamp>,
    /// Time of the last status change.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "updated_time",
        default,
        serialize_with = "baton_types::rfc3339::serialize",
        deserialize_with = "lenient_timestamp"
    )]
    pub updated_time: Option<Timestamp>,
    /// A JSON object; its member `contextcore` names the sending and the receiving agent.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub metadata: Option<Json>,
}

/// RFC 3339; text without a time zone is UTC, as in ContextCore.
fn lenient_timestamp<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let Some(text) = Option::<Cow<'_, str>>::deserialize(deserializer)? else { return Ok(None) };
    let read = Timestamp::parse(&text).or_else(|error| Timestamp::parse(&format!("{text}Z")).map_err(|_| error));
    read.map(Some).map_err(serde::de::Error::custom)
}

impl Task {
    /// Sets the creation time.
    #[must_use]
    pub fn with_created_time(mut self, at: Timestamp) -> Self {
        self.created_time = Some(at);
        self
    }

    /// Sets the agent of the task in `metadata.contextcore`.
    #[must_use]
    pub fn with_agent(self, agent: &AgentName) -> Self {
        self.with_member("to_agent", agent.as_str())
    }

    fn with_member(mut self, name: &str, value: &str) -> Self {
        let mut own = ObjectMembers::default();
        own.put(name, Json::string(value));
        // Metadata that is not an object stays unchanged.
        self.metadata = metadata::add(self.metadata, own, String::new, &mut Violations::default());
        self
    }

    /// Converts to 1.0, or returns all violations.
    ///
    /// The last message becomes the status message if the agent wrote it and the task is not in progress.
    pub fn into_v1(self) -> Result<v1::Task<'static>, Error> {
        let mut violations = Violations::default();
        let mut own = ObjectMembers::default();
        own.put_text("createdTime", self.created_time.map(|at| at.to_string()));
        let history: Vec<_> = self
            .messages
            .into_iter()
            .enumerate()
            .map(|(index, message)| message.into_v1(&format!("messages[{index}]"), &mut violations))
            .collect();
        let artifacts: Vec<_> = self
            .artifacts
            .into_iter()
            .enumerate()
            .map(|(index, artifact)| artifact.into_v1(&format!("artifacts[{index}]"), &mut violations))
            .collect();
        let rests = !matches!(self.status, State::Pending | State::Working);
        let task = v1::Task {
            id: self.task_id.into(),
            context_id: self.context_id.into(),
            status: v1::TaskStatus {
                state: self.status.into(),
                message: history.last().filter(|last| rests && last.role == v1::Role::Agent).cloned(),
                timestamp: self.updated_time,
            },
            artifacts: Some(artifacts),
            history: Some(history),
            metadata: metadata::add(self.metadata, own, || "metadata".to_owned(), &mut violations),
        };
        violations.into_result(task).map_err(Error::invalid_params)
    }
}

impl From<v1::Task<'_>> for Task {
    /// A message without a timestamp gets that of the status, because ContextCore's parser requires one.
    fn from(task: v1::Task<'_>) -> Self {
        let status = task.status;
        let mut messages: Vec<Message> = task.history.unwrap_or_default().into_iter().map(Message::from).collect();
        if let Some(message) =
            status.message.filter(|message| !messages.iter().any(|one| one.message_id == message.message_id))
        {
            messages.push(message.into());
        }
        for message in &mut messages {
            message.timestamp = message.timestamp.take().or_else(|| status.timestamp.map(|at| at.to_string()));
        }
        let (metadata, mut own) = metadata::extract(task.metadata, |name, value| {
            name == "createdTime" && value.read().is_ok_and(|text: String| Timestamp::parse(&text).is_ok())
        });
        let created = own.take_text(&["createdTime"]).and_then(|text| Timestamp::parse(&text).ok());
        let first = messages.iter().find(|message| message.role == Role::User);
        let sender = first.and_then(|message| message.agent_id.clone());
        let capability = first.and_then(|message| {
            let metadata = ObjectMembers::from_json(message.metadata.as_ref()?)?;
            ObjectMembers::from_json(metadata.get(&[metadata::KEY])?)?.take_text(&["capabilityId"])
        });
        let mut task = Self {
            task_id: task.id.into_owned(),
            context_id: task.context_id.into_owned(),
            status: status.state.into(),
            messages,
            artifacts: task.artifacts.unwrap_or_default().into_iter().map(Artifact::from).collect(),
            created_time: created,
            updated_time: status.timestamp,
            metadata,
        };
        for (name, value) in [("from_agent", sender), ("capability_id", capability)] {
            if let Some(value) = value {
                task = task.with_member(name, &value);
            }
        }
        task
    }
}

/// Result of `tasks.list`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskList {
    /// The tasks, most recent status first.
    #[serde(default, deserialize_with = "de::or_default")]
    pub tasks: Vec<Task>,
}

impl From<v1::ListTasksResponse<'_>> for TaskList {
    fn from(page: v1::ListTasksResponse<'_>) -> Self {
        Self { tasks: page.tasks.into_iter().map(Task::from).collect() }
    }
}

/// Result of `tasks.cancel`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelResult {
    /// Task id.
    #[serde(alias = "task_id")]
    pub task_id: String,
    /// `CANCELLED`, or `FAILED` if the task could not be canceled.
    pub status: State,
}

impl CancelResult {
    /// The result for a task that has already ended; ContextCore defines no error for it.
    pub fn already_ended(task: &TaskId) -> Self {
        Self { task_id: task.to_string(), status: State::Failed }
    }
}

impl From<v1::Task<'_>> for CancelResult {
    fn from(task: v1::Task<'_>) -> Self {
        Self { task_id: task.id.into_owned(), status: task.status.state.into() }
    }
}
