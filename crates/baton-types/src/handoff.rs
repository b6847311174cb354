//! Work delegated by one agent to another: one durable record, regardless of the channel.

use crate::{AgentName, CallId, ContextId, HandoffId, Json, TaskId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Status of a handoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HandoffStatus {
    /// Offered.
    Pending,
    /// Claimed by exactly one receiver.
    Accepted,
    /// In progress.
    InProgress,
    /// The receiver waits for an answer.
    InputRequired,
    /// Done.
    Completed,
    /// Ended by an error.
    Failed,
    /// The deadline passed.
    Timeout,
    /// Withdrawn by the sender.
    Cancelled,
    /// Refused by the receiver.
    Rejected,
}

impl HandoffStatus {
    /// All statuses, for tables and tests.
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

    /// Whether the status is final.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Timeout | Self::Cancelled | Self::Rejected)
    }

    /// Name as stored and shown.
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

/// Delivery channel of a handoff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HandoffChannel {
    /// Delivered by Baton: in process, or over A2A.
    #[default]
    Direct,
    /// Delivered by the MCP client that called `handoff`, requested by an unfinished result.
    InputRequired,
    /// Delivered by the MCP client that called `handoff`, requested by a server request.
    Sampling,
}

impl HandoffChannel {
    /// Name as stored and shown.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::InputRequired => "input_required",
            Self::Sampling => "sampling",
        }
    }
}

/// Reason for the channel of a handoff from an MCP client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChannelReason {
    /// The client declares that it delivers handoffs.
    HandoffDeclared,
    /// The agent's callers run its tools, and the client declares sampling.
    CallerRunsTools,
    /// The client does not declare sampling.
    NoSampling,
    /// The client declares sampling, but not handoffs: its own model would answer.
    OrdinarySampling,
    /// The client answered the request from a model instead of the agent.
    OtherModel,
}

impl ChannelReason {
    /// All reasons, for tables and tests.
    pub const ALL: [Self; 5] =
        [Self::HandoffDeclared, Self::CallerRunsTools, Self::NoSampling, Self::OrdinarySampling, Self::OtherModel];

    /// Name as stored and shown.
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

/// Delivery priority of handoffs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Before all other work.
    Critical,
    /// Before normal work.
    High,
    /// The default.
    #[default]
    #[serde(alias = "medium")]
    Normal,
    /// When no other work is pending.
    Low,
}

/// Expected output of a handoff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectedOutput {
    /// Kind of output, such as `text`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Required fields of the result.
    #[serde(default)]
    pub fields: Vec<String>,
    /// Maximum number of text lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_lines: Option<u64>,
    /// Maximum number of text tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Text that a complete result must contain.
    #[serde(default)]
    pub completeness_markers: Vec<String>,
    /// Whether the result may be split into chunks.
    #[serde(default = "yes")]
    pub allows_chunking: bool,
    /// Correlation id of the chunks of one result.
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

/// Record of one handoff, as created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handoff {
    /// Handoff id.
    pub id: HandoffId,
    /// Sender.
    pub from_agent: AgentName,
    /// Receiver.
    pub to_agent: AgentName,
    /// Capability requested of the receiver.
    pub capability_id: String,
    /// Work description.
    pub task: String,
    /// Work input as JSON.
    pub inputs: Json,
    /// Expected output.
    pub expected_output: ExpectedOutput,
    /// Delivery priority.
    pub priority: Priority,
    /// Time after creation at which the handoff ends with `timeout`.
    pub timeout_ms: u64,
    /// Creation time.
    pub created_at: Timestamp,
    /// Task that waits for it; none if an MCP client sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_task: Option<TaskId>,
    /// Tool call that waits for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_call: Option<CallId>,
    /// Task that does the work. Chosen before sending, so that it is found again after a crash. None if the client
    /// delivers the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub child_task: Option<TaskId>,
    /// Conversation of the child task.
    pub child_context: ContextId,
    /// Delivery channel.
    #[serde(default)]
    pub channel: HandoffChannel,
    /// Reason for the channel; none in an agent's own run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_reason: Option<ChannelReason>,
    /// Address of the receiver, if it was named by address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_uri: Option<String>,
    /// W3C trace context of the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// One event of a handoff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoffEvent {
    /// The handoff was created with status pending.
    Created(Box<Handoff>),
    /// The status changed.
    StatusChanged {
        /// New status.
        to: HandoffStatus,
        /// Result of a completed handoff.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Json>,
        /// Error of a handoff that did not complete.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// Trace id of the work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result_trace_id: Option<String>,
    },
    /// The channel changed.
    Rerouted {
        /// New channel.
        channel: HandoffChannel,
        /// Reason for the new channel.
        reason: ChannelReason,
        /// Model that answered instead of the receiver.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
}
