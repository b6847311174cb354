//! A task as it travels.

use super::{Artifact, Message, Presentation, TaskState};
use crate::de;
use baton_types::{Json, TaskView, Timestamp};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A piece of work: where it stands, what was said, what came out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Task<'a> {
    /// Its id.
    #[serde(deserialize_with = "de::or_default")]
    pub id: Cow<'a, str>,
    /// The conversation.
    #[serde(alias = "context_id", deserialize_with = "de::or_default")]
    pub context_id: Cow<'a, str>,
    /// Where it stands.
    #[serde(deserialize_with = "de::object")]
    pub status: TaskStatus<'a>,
    /// Outputs; absent when they were not asked for.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_objects")]
    pub artifacts: Option<Vec<Artifact<'a>>>,
    /// Messages, oldest first; absent when they were not asked for.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_objects")]
    pub history: Option<Vec<Message<'a>>>,
    /// A JSON object of the agent's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Json>,
}

/// Where a task stands and what the agent says about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct TaskStatus<'a> {
    /// The state.
    pub state: TaskState,
    /// What the agent says.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "de::maybe_object")]
    pub message: Option<Message<'a>>,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none", with = "de::rfc3339")]
    pub timestamp: Option<Timestamp>,
}

/// How much history a caller wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HistoryLength {
    /// As much as there is.
    #[default]
    All,
    /// At most this many of the latest messages; with 0 the member is left out.
    Latest(usize),
}

/// Whether outputs travel with the task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArtifactChoice {
    /// They do, even when there are none.
    #[default]
    Include,
    /// The member is left out.
    Omit,
}

impl<'a> Task<'a> {
    /// The task as its caller asked to see it.
    pub fn of(
        view: &'a TaskView,
        history: HistoryLength,
        artifacts: ArtifactChoice,
        presentation: Presentation,
    ) -> Self {
        let placed = |message: &'a baton_types::Message| Message::within(message, &view.context, &view.id);
        let history = match history {
            HistoryLength::All => Some(view.history.as_slice()),
            HistoryLength::Latest(0) => None,
            HistoryLength::Latest(most) => Some(&view.history[view.history.len().saturating_sub(most)..]),
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
                ArtifactChoice::Include => Some(presentation.artifacts(view).map(Artifact::from).collect()),
                ArtifactChoice::Omit => None,
            },
            history: history.map(|messages| messages.iter().map(placed).collect()),
            metadata: None,
        }
    }
}
