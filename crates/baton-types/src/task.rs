//! Where a task stands.

use crate::{AgentName, Artifact, ContextId, Message, Part, TaskId, Timestamp, ToolExecution};
use serde::{Deserialize, Serialize};

/// The state of a task, as every surface knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskState {
    /// Accepted, not begun.
    Submitted,
    /// A run is on it.
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
    /// Every state, for tables and tests.
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

    /// Nothing can change any more.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Canceled | Self::Rejected)
    }

    /// The task waits for somebody outside.
    pub fn is_interrupted(self) -> bool {
        matches!(self, Self::InputRequired | Self::AuthRequired)
    }

    /// The name as stored and as shown on the command line.
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

    /// Reads back what [`TaskState::as_str`] wrote.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// A task as its caller may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskView {
    /// Its id.
    pub id: TaskId,
    /// The conversation.
    pub context: ContextId,
    /// Who works on it.
    pub agent: AgentName,
    /// When it was created.
    pub created_at: Timestamp,
    /// Who runs its tools.
    pub tool_execution: ToolExecution,
    /// Where it stands.
    pub state: TaskState,
    /// What the agent last said about that.
    pub status_message: Option<Message>,
    /// When the state last changed.
    pub status_at: Timestamp,
    /// Complete messages, oldest first.
    pub history: Vec<Message>,
    /// Outputs, oldest first.
    pub artifacts: Vec<Artifact>,
    /// The number of the last event folded in.
    pub version: u64,
    /// How many of the events so far A2A shows; grows with every change that a caller can see.
    pub generation: u64,
}

impl TaskView {
    /// The answer of an agent that replied without a task: its final message names none.
    pub fn direct_reply(&self) -> Option<&Message> {
        self.status_message.as_ref().filter(|reply| self.state == TaskState::Completed && reply.task.is_none())
    }

    /// Whether an artifact has the text of this message.
    pub fn has_artifact_of(&self, message: &Message) -> bool {
        self.artifacts.iter().rev().any(|artifact| artifact.id.as_str() == message.id.as_str())
    }

    /// About how many bytes its content takes.
    pub fn weight(&self) -> usize {
        let messages = self.history.iter().chain(&self.status_message).map(Message::weight);
        let artifacts = self.artifacts.iter().flat_map(|artifact| &artifact.parts).map(Part::weight);
        messages.chain(artifacts).sum()
    }
}
