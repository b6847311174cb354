//! Wire form of a task.

use super::{Artifact, Message, Presentation, TaskState};
use crate::de;
use baton_types::{Json, TaskView, Timestamp};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A task with its status, history and artifacts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
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
    pub state: TaskState,
    /// Message of the agent.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub message: Option<Message<'a>>,
    /// Time of the last status change.
    #[serde(skip_serializing_if = "Option::is_none", with = "baton_types::rfc3339")]
    pub timestamp: Option<Timestamp>,
}

/// Requested amount of history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HistoryLength {
    /// All messages.
    #[default]
    All,
    /// At most this many of the latest messages; with 0 the member is omitted.
    Latest(usize),
}

/// Whether artifacts are part of the task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArtifactInclusion {
    /// Included, even if empty.
    #[default]
    Include,
    /// The member is omitted.
    Omit,
}

impl<'a> Task<'a> {
    /// The task in the requested presentation.
    pub fn from_view(
        view: &'a TaskView,
        history: HistoryLength,
        artifacts: ArtifactInclusion,
        presentation: Presentation,
    ) -> Self {
        let placed = |message: &'a baton_types::Message| Message::in_task(message, &view.context, &view.id);
        let history = match history {
            HistoryLength::All => Some(view.history.as_slice()),
            HistoryLength::Latest(0) => None,
            HistoryLength::Latest(max) => Some(&view.history[view.history.len().saturating_sub(max)..]),
        };
        Self {
            id: Cow::Borrowed(view.id.as_str()),
            context_id: Cow::Borrowed(view.context.as_str()),
            status: TaskStatus {
                state: view.state.into(),
                message: presentation.status_message(view).map(placed),
                timestamp: Some(view.status_at),
            },
            artifacts: match artifacts {
                ArtifactInclusion::Include => Some(presentation.artifacts(view).map(Artifact::from).collect()),
                ArtifactInclusion::Omit => None,
            },
            history: history.map(|messages| messages.iter().map(placed).collect()),
            metadata: None,
        }
    }
}
