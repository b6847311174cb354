//! A task as it travels.

use super::{Artifact, Message, Role, State, metadata};
use crate::{
    Violations,
    a2a::v1::{self, Error},
    de,
    members::Members,
};
use baton_types::{AgentName, Json, TaskId, Timestamp};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// A piece of work: where it stands, what was said, what came out.
///
/// 1.0 does not say when a task was created. `createdTime` is therefore left out unless the task brought one along
/// from another ContextCore, or [`Task::with_created_time`] sets what the server knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Its id.
    #[serde(alias = "task_id")]
    pub task_id: String,
    /// The conversation.
    #[serde(alias = "context_id", default, deserialize_with = "de::or_default")]
    pub context_id: String,
    /// Where it stands.
    pub status: State,
    /// What was said, oldest first.
    #[serde(default, deserialize_with = "de::or_default")]
    pub messages: Vec<Message>,
    /// What came out, oldest first.
    #[serde(default, deserialize_with = "de::or_default")]
    pub artifacts: Vec<Artifact>,
    /// When it was created.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "created_time",
        default,
        serialize_with = "de::rfc3339::serialize",
        deserialize_with = "moment"
    )]
    pub created_time: Option<Timestamp>,
    /// When its status last changed.
    #[serde(
        skip_serializing_if = "Option::is_none",
        alias = "updated_time",
        default,
        serialize_with = "de::rfc3339::serialize",
        deserialize_with = "moment"
    )]
    pub updated_time: Option<Timestamp>,
    /// A JSON object; its member `contextcore` says which agents the work is between.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub metadata: Option<Json>,
}

/// RFC 3339; text without a time zone is UTC, as ContextCore means it.
fn moment<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    let Some(text) = Option::<Cow<'_, str>>::deserialize(deserializer)? else { return Ok(None) };
    let read = Timestamp::parse(&text).or_else(|error| Timestamp::parse(&format!("{text}Z")).map_err(|_| error));
    read.map(Some).map_err(serde::de::Error::custom)
}

impl Task {
    /// The same task with the moment of its creation.
    #[must_use]
    pub fn with_created_time(mut self, at: Timestamp) -> Self {
        self.created_time = Some(at);
        self
    }

    /// The same task, saying in `metadata.contextcore` who works on it.
    #[must_use]
    pub fn with_agent(self, agent: &AgentName) -> Self {
        self.noted("to_agent", agent.as_str())
    }

    fn noted(mut self, name: &str, value: &str) -> Self {
        let mut own = Members::default();
        own.put(name, Json::string(value));
        // Metadata that is no object has no place for it.
        self.metadata = metadata::add(self.metadata, own, String::new, &mut Violations::default());
        self
    }

    /// The same task in 1.0, or every field that is wrong.
    ///
    /// The last message is what the agent says about the status, when the agent said it and the task rests.
    pub fn into_v1(self) -> Result<v1::Task<'static>, Error> {
        let mut violations = Violations::default();
        let mut own = Members::default();
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
        violations.none_or(task).map_err(Error::invalid_params)
    }
}

impl From<v1::Task<'_>> for Task {
    /// A message without a time of its own has that of the status, because ContextCore's reader does not do without.
    fn from(task: v1::Task<'_>) -> Self {
        let status = task.status;
        let mut messages: Vec<Message> = task.history.unwrap_or_default().into_iter().map(Message::from).collect();
        if let Some(said) = status.message.filter(|said| !messages.iter().any(|one| one.message_id == said.message_id))
        {
            messages.push(said.into());
        }
        for message in &mut messages {
            message.timestamp = message.timestamp.take().or_else(|| status.timestamp.map(|at| at.to_string()));
        }
        let (metadata, mut own) = metadata::lift(task.metadata, |name, value| {
            name == "createdTime" && value.read().is_ok_and(|text: String| Timestamp::parse(&text).is_ok())
        });
        let created = own.take_text(&["createdTime"]).and_then(|text| Timestamp::parse(&text).ok());
        let first = messages.iter().find(|message| message.role == Role::User);
        let sender = first.and_then(|message| message.agent_id.clone());
        let capability = first.and_then(|message| {
            let metadata = Members::of(message.metadata.as_ref()?)?;
            Members::of(metadata.get(&[metadata::KEY])?)?.take_text(&["capabilityId"])
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
                task = task.noted(name, &value);
            }
        }
        task
    }
}

/// What `tasks.list` answers with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskList {
    /// The tasks, newest status first.
    #[serde(default, deserialize_with = "de::or_default")]
    pub tasks: Vec<Task>,
}

impl From<v1::ListTasksResponse<'_>> for TaskList {
    fn from(page: v1::ListTasksResponse<'_>) -> Self {
        Self { tasks: page.tasks.into_iter().map(Task::from).collect() }
    }
}

/// What `tasks.cancel` answers with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Canceled {
    /// The task.
    #[serde(alias = "task_id")]
    pub task_id: String,
    /// `CANCELLED`, or `FAILED` when it could not be.
    pub status: State,
}

impl Canceled {
    /// The answer for a task that has already ended: ContextCore knows no error for it.
    pub fn not_possible(task: &TaskId) -> Self {
        Self { task_id: task.to_string(), status: State::Failed }
    }
}

impl From<v1::Task<'_>> for Canceled {
    fn from(task: v1::Task<'_>) -> Self {
        Self { task_id: task.id.into_owned(), status: task.status.state.into() }
    }
}
