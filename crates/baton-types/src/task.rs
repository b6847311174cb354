//! State of a task.

use crate::{AgentName, Artifact, ContextId, Message, Part, TaskId, Timestamp, ToolExecution};
use serde::{Deserialize, Serialize};

/// State of a task, common to all surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// Accepted, not started.
    Submitted,
    /// A run is in progress.
    Working,
    /// Waits for an answer from its caller.
    InputRequired,
    /// Waits for credentials.
    AuthRequired,
    /// Done.
    Completed,
    /// Ended by an error.
    Failed,
    /// Ended by its caller.
    Canceled,
    /// Refused by the agent.
    Rejected,
}

impl TaskState {
    /// All states, for tables and tests.
    pub const ALL: [Self; 8] = [
        Self::Submitted,
        Self::Working,
        Self::InputRequired,
        Self::AuthRequired,
        Self::Completed,
        Self::Failed,
        Self::Canceled,
        Self::Rejected,
    ];

    /// Whether the state is final.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled | Self::Rejected)
    }

    /// Whether the task waits for external input.
    pub fn is_interrupted(self) -> bool {
        matches!(self, Self::InputRequired | Self::AuthRequired)
    }

    /// Name as stored and as shown on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::AuthRequired => "auth_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::Rejected => "rejected",
        }
    }

    /// Parses the result of [`TaskState::as_str`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// A task as visible to its caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskView {
    /// Task id.
    pub id: TaskId,
    /// Conversation.
    pub context: ContextId,
    /// Agent of the task.
    pub agent: AgentName,
    /// Creation time.
    pub created_at: Timestamp,
    /// Side that runs its tools.
    pub tool_execution: ToolExecution,
    /// State.
    pub state: TaskState,
    /// Message of the agent about the state.
    pub status_message: Option<Message>,
    /// Time of the last state change.
    pub status_at: Timestamp,
    /// Complete messages, oldest first.
    pub history: Vec<Message>,
    /// Outputs, oldest first.
    pub artifacts: Vec<Artifact>,
    /// Number of the last applied event.
    pub version: u64,
    /// Number of applied events that are visible over A2A; grows with every change that a caller can see.
    pub generation: u64,
}

impl TaskView {
    /// Answer of an agent that replied without a task: its final message names no task.
    pub fn direct_reply(&self) -> Option<&Message> {
        self.status_message.as_ref().filter(|reply| self.state == TaskState::Completed && reply.task.is_none())
    }

    /// Whether an artifact contains the text of this message.
    pub fn has_artifact_of(&self, message: &Message) -> bool {
        self.artifacts.iter().rev().any(|artifact| artifact.id.as_str() == message.id.as_str())
    }

    /// Approximate content size in bytes.
    pub fn weight(&self) -> usize {
        let messages = self.history.iter().chain(&self.status_message).map(Message::weight);
        let artifacts = self.artifacts.iter().flat_map(|artifact| &artifact.parts).map(Part::weight);
        messages.chain(artifacts).sum()
    }
}
