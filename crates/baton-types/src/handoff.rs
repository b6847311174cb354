//! Work given by one agent to another, as one durable record whatever the channel.

use crate::{AgentName, CallId, ContextId, HandoffId, Json, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

/// Where a handoff stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoffStatus {
    /// Offered.
    Pending,
    /// Taken by exactly one receiver.
    Accepted,
    /// Being worked on.
    InProgress,
    /// The receiver waits for an answer.
    InputRequired,
    /// Done.
    Completed,
    /// Ended by an error.
    Failed,
    /// Its deadline passed.
    Timeout,
    /// Withdrawn by the sender.
    Cancelled,
    /// Refused by the receiver.
    Rejected,
}

impl HandoffStatus {
    /// Every status, for tables and tests.
    pub const ALL: [Self; 9] = [
        Self::Pending,
        Self::Accepted,
        Self::InProgress,
        Self::InputRequired,
        Self::Completed,
        Self::Failed,
        Self::Timeout,
        Self::Cancelled,
        Self::Rejected,
    ];

    /// Nothing can change any more.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Timeout | Self::Cancelled | Self::Rejected)
    }

    /// The name as stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::InProgress => "in_progress",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::Rejected => "rejected",
        }
    }
}

/// How the work of a handoff gets to its receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoffChannel {
    /// Baton hands it over itself: in its own process, or over A2A.
    #[default]
    Direct,
    /// The MCP client that called `handoff` is asked to, by an unfinished result.
    InputRequired,
    /// The MCP client that called `handoff` is asked to, by a request of the server.
    Sampling,
}

impl HandoffChannel {
    /// The name as stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::InputRequired => "input_required",
            Self::Sampling => "sampling",
        }
    }
}

/// Why a handoff of an MCP client took its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChannelReason {
    /// The client declares that it hands work over.
    HandoffDeclared,
    /// The agent leaves its tools to its callers, and the client declares sampling.
    CallerRunsTools,
    /// The client does not declare sampling.
    NoSampling,
    /// The client declares sampling, but not that it hands work over: its own model would answer.
    OrdinarySampling,
    /// The client was asked, and answered from a model instead of the agent.
    OtherModel,
}

impl ChannelReason {
    /// Every reason, for tables and tests.
    pub const ALL: [Self; 5] =
        [Self::HandoffDeclared, Self::CallerRunsTools, Self::NoSampling, Self::OrdinarySampling, Self::OtherModel];

    /// The name as stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::HandoffDeclared => "handoff_declared",
            Self::CallerRunsTools => "caller_runs_tools",
            Self::NoSampling => "no_sampling",
            Self::OrdinarySampling => "ordinary_sampling",
            Self::OtherModel => "other_model",
        }
    }
}

/// Which handoffs are delivered first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Before everything else.
    Critical,
    /// Before normal work.
    High,
    /// The default.
    #[default]
    #[serde(alias = "medium")]
    Normal,
    /// When nothing else waits.
    Low,
}

/// What the sender expects back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpectedOutput {
    /// A word for the kind of output, such as `text`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Fields that the result must have.
    #[serde(default)]
    pub fields: Vec<String>,
    /// Most lines of text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_lines: Option<u64>,
    /// Most tokens of text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Text that must occur in a complete result.
    #[serde(default)]
    pub completeness_markers: Vec<String>,
    /// Whether the result may come in pieces.
    #[serde(default = "yes")]
    pub allows_chunking: bool,
    /// What the pieces of one result have in common.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk_correlation_id: Option<String>,
}

fn yes() -> bool {
    true
}

impl Default for ExpectedOutput {
    fn default() -> Self {
        Self {
            kind: "text".to_owned(),
            fields: Vec::new(),
            max_lines: None,
            max_tokens: None,
            completeness_markers: Vec::new(),
            allows_chunking: true,
            chunk_correlation_id: None,
        }
    }
}

/// The record of one handoff, as it was created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handoff {
    /// Its id.
    pub id: HandoffId,
    /// The sender.
    pub from_agent: AgentName,
    /// The receiver.
    pub to_agent: AgentName,
    /// What the receiver is asked to be good at.
    pub capability_id: String,
    /// The work, in words.
    pub task: String,
    /// The work, as data.
    pub inputs: Json,
    /// What must come back.
    pub expected_output: ExpectedOutput,
    /// How urgent it is.
    pub priority: Priority,
    /// Fails as `timeout` this long after it was created.
    pub timeout_ms: u64,
    /// When it was created.
    pub created_at: Timestamp,
    /// The task that waits for it; none when an MCP client handed the work over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_task: Option<TaskId>,
    /// The tool call that waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_call: Option<CallId>,
    /// The task that does the work; chosen before anything is sent, so that a crash finds it again. None when the client
    /// does the sending.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child_task: Option<TaskId>,
    /// The conversation of the child task.
    pub child_context: ContextId,
    /// How the work gets to the receiver.
    #[serde(default)]
    pub channel: HandoffChannel,
    /// Why it gets there so; none in an agent's own run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_reason: Option<ChannelReason>,
    /// Where the receiver is, when it was named by its address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_uri: Option<String>,
    /// W3C trace context of the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// One fact of a handoff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoffEvent {
    /// It exists, as pending.
    Created(Box<Handoff>),
    /// It moved on.
    Moved {
        /// The new status.
        to: HandoffStatus,
        /// What came back, when it completed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Json>,
        /// Why it did not complete.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// The trace in which the work was done.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result_trace_id: Option<String>,
    },
    /// It takes another channel from now on.
    Rerouted {
        /// The new channel.
        channel: HandoffChannel,
        /// Why.
        reason: ChannelReason,
        /// The model that answered instead of the receiver.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
}
