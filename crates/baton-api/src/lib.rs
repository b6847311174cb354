//! Wire types of Baton's own API under `/api/v1`: agents, tasks, events, sessions, approvals, tools, tokens, spans.
//!
//! This crate must never do I/O or make a decision, and depends on no other dialect: a reply that contains A2A messages
//! is generic over them.
//!
//! Read first: [`AgentDetails`] (one agent), [`SessionDetails`] (one conversation), [`ApprovalEntry`] (one pending
//! approval).

mod agents;
mod approvals;
mod error;
pub mod error_codes;
mod exports;
mod peers;
mod schema;
mod sessions;
mod spans;
mod tokens;
mod tools;

pub use agents::{
    AgentDefinition, AgentExport, AgentExportList, AgentItem, AgentItemList, AgentProviderInfo, AgentProviderList,
    AgentServerList, AvailableProvider, ChangeAgent, CloneAgent, CreateAgent, DefinitionLocation, NewAgent,
    ProviderKeyInfo,
};
pub use approvals::{
    AnswerApproval, AnsweredApproval, ApprovalAnswer, ApprovalDecision, ApprovalEntry, ApprovalKind, ApprovalList,
    ApprovalQuestion,
};
pub use error::{ApiError, ApiErrorBody, ApiErrorKind};
pub use exports::{ExportEntry, ExportList, ExportTargetState};
pub use peers::{AddAgent, AgentDetails, RemoteEntry, SkillEntry};
pub use schema::{A2aMessage, A2aTask};
pub use sessions::{
    ChangeSession, ChangedSession, DeletedSession, ForkSession, ImportedSession, SESSION_FORMAT, SessionContextItem,
    SessionDetails, SessionFile, SessionItem, SessionList, SessionMessage, SessionSettingsBody, SessionSummary,
    SessionUsage,
};
pub use spans::{MissedSpans, SpanEntry, SpanStatsEntry};
pub use tokens::{CreateToken, CreatedToken, ProtectedResource, TokenEntry, TokenList};
pub use tools::{
    AnswerEntry, AnswerTool, PermissionReply, PermissionState, QuestionEntry, ServerEntry, SetPermission, ToolEntry,
    ToolList, ToolReply,
};

use baton_types::{
    AgentListing, ChannelReason, ExpectedOutput, HandoffChannel, HandoffStatus, Json, Priority, Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The address of an agent that is served below `base`, a URL without a trailing slash.
///
/// The address ends with a slash. Clients that resolve the card path against it, such as the JavaScript client, would
/// otherwise drop the agent's name.
pub fn agent_address(base: &str, agent: &str) -> String {
    format!("{base}/agents/{agent}/")
}

/// One served agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentEntry {
    /// Path segment.
    pub name: String,
    /// Display name.
    pub title: String,
    /// Purpose of the agent.
    pub description: String,
    /// URL that accepts requests.
    pub url: String,
    /// URL of the card.
    pub card_url: String,
    /// Address of a remote agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
}

impl AgentEntry {
    /// The entry of an agent that is served below `base`, a URL without a trailing slash.
    pub fn from_listing(agent: &AgentListing, base: &str) -> Self {
        let url = agent_address(base, agent.name.as_str());
        Self {
            name: agent.name.to_string(),
            title: agent.title.clone(),
            description: agent.description.clone(),
            card_url: format!("{url}.well-known/agent-card.json"),
            remote: agent.address.clone(),
            url,
        }
    }
}

/// The served agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentList {
    /// All agents.
    pub agents: Vec<AgentEntry>,
}

/// A task with additional data that A2A does not define.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TaskEntry")]
pub struct TaskEntry<T> {
    /// Agent of the task.
    pub agent: String,
    /// Number of the last event.
    pub version: u64,
    /// The task, as an A2A task.
    pub task: T,
}

/// One journaled event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventEntry {
    /// Number within the task.
    pub number: u64,
    /// Noun and verb, such as `task.answered`.
    pub kind: String,
    /// Time of the event.
    #[serde(with = "baton_types::rfc3339")]
    #[schemars(schema_with = "schema::timestamp")]
    pub at: Option<Timestamp>,
    /// Run that the event belongs to, if any.
    pub run: Option<String>,
    /// Payload of the event.
    pub body: Json,
}

/// Events of a task in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventList {
    /// The events.
    pub events: Vec<EventEntry>,
}

/// One handoff, with the same names as in storage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HandoffEntry {
    /// Its id.
    pub id: String,
    /// The sending agent.
    pub from_agent: String,
    /// The receiving agent.
    pub to_agent: String,
    /// Requested capability of the receiver.
    pub capability_id: String,
    /// The task description as text.
    pub task: String,
    /// The task input as data.
    pub inputs: Json,
    /// Expected result.
    pub expected_output: ExpectedOutput,
    /// Priority.
    pub priority: Priority,
    /// Timeout in milliseconds.
    pub timeout_ms: u64,
    /// Current status.
    pub status: HandoffStatus,
    /// Time of creation.
    #[serde(with = "baton_types::rfc3339")]
    #[schemars(schema_with = "schema::timestamp")]
    pub created_at: Option<Timestamp>,
    /// The task that waits for the result; `null` if an MCP client started the handoff.
    pub parent_task_id: Option<String>,
    /// The task of the receiver, if known to this Baton.
    pub child_task_id: Option<String>,
    /// Channel that delivered the message.
    pub channel: HandoffChannel,
    /// Reason for the choice of channel, if an MCP client started the handoff.
    pub channel_reason: Option<ChannelReason>,
    /// Model that answered the sampling request of the client in place of the receiver, which caused a change of
    /// channel.
    pub answered_model: Option<String>,
    /// Address that named the receiver, if any.
    pub agent_uri: Option<String>,
    /// W3C trace context of the sender.
    pub trace_parent: Option<String>,
    /// The result.
    pub result: Option<Json>,
    /// Trace id of the receiver's work.
    pub result_trace_id: Option<String>,
    /// Error message, if the handoff did not complete.
    pub error_message: Option<String>,
}

/// Response of the health probes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// `ok`, or the reason for failure.
    pub status: String,
    /// Version of this Baton.
    pub version: String,
}
