//! Baton's own API: what it says about agents, tasks and events beyond A2A.

mod agents;
mod approvals;
mod exports;
mod peers;
mod sessions;
mod spans;
mod tokens;
mod tools;

pub use agents::{
    AgentDefinition, AgentExport, AgentExportList, AgentItem, AgentItemList, AgentKept, AgentMaker, AgentProviderList,
    AgentServerList, AvailableProvider, ChangeAgent, CloneAgent, CreateAgent, ProviderKeyInfo,
};
pub use approvals::{
    AnswerApproval, AnsweredApproval, ApprovalAnswer, ApprovalDecision, ApprovalEntry, ApprovalKind, ApprovalList,
    ApprovalQuestion,
};
pub use exports::{ExportEntry, ExportList, ExportStanding};
pub use peers::{AddAgent, AgentDetails, RemoteEntry, SkillEntry};
pub use sessions::{
    ChangeSession, ChangedSession, DeletedSession, ForkSession, ImportedSession, SESSION_FORMAT, SessionDetails,
    SessionFile, SessionItem, SessionList, SessionMessage, SessionSettings, SessionSummary, SessionUsage,
    SessionUsedItem,
};
pub use spans::{MissedSpans, SpanEntry, SpanStatsEntry};
pub use tokens::{CreateToken, CreatedToken, ProtectedResource, TokenEntry, TokenList};
pub use tools::{
    AnswerEntry, AnswerTool, AskEntry, PermissionReply, PermissionState, ServerEntry, SetPermission, ToolEntry,
    ToolList, ToolReply,
};

use crate::{a2a::v1::Task, de};
use baton_types::{
    AgentListing, ChannelReason, ExpectedOutput, HandoffChannel, HandoffStatus, Json, Priority, Timestamp,
};
use serde::{Deserialize, Serialize};

/// The address of an agent that is served below `base`, a URL without a slash at its end.
///
/// It ends with a slash: clients that resolve the path of the card against it, as JavaScript's do, would drop the
/// agent's name otherwise.
pub fn agent_address(base: &str, agent: &str) -> String {
    format!("{base}/agents/{agent}/")
}

/// One agent that is served.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentEntry {
    /// The path segment.
    pub name: String,
    /// The name people see.
    pub title: String,
    /// What the agent is for.
    pub description: String,
    /// Where it takes requests.
    pub url: String,
    /// Where its card is.
    pub card_url: String,
    /// Where it lives, when that is elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
}

impl AgentEntry {
    /// The entry of an agent that is served below `base`, a URL without a slash at its end.
    pub fn of(agent: &AgentListing, base: &str) -> Self {
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

/// The agents that are served.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentList {
    /// All of them.
    pub agents: Vec<AgentEntry>,
}

/// A task with what A2A does not say about it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskEntry<'a> {
    /// Who works on it.
    pub agent: String,
    /// The number of its last event.
    pub version: u64,
    /// The task.
    pub task: Task<'a>,
}

/// One journaled event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventEntry {
    /// Its number in the task.
    pub number: u64,
    /// Noun and verb, such as `task.answered`.
    pub kind: String,
    /// When it became true.
    #[serde(with = "de::rfc3339")]
    pub at: Option<Timestamp>,
    /// The run it belongs to.
    pub run: Option<String>,
    /// The fact.
    pub body: Json,
}

/// Events of a task in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventList {
    /// The events.
    pub events: Vec<EventEntry>,
}

/// One handoff, with the names under which it is stored everywhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HandoffEntry {
    /// Its id.
    pub id: String,
    /// The sender.
    pub from_agent: String,
    /// The receiver.
    pub to_agent: String,
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
    /// How long it may take.
    pub timeout_ms: u64,
    /// Where it stands.
    pub status: HandoffStatus,
    /// When it was created.
    #[serde(with = "de::rfc3339")]
    pub created_at: Option<Timestamp>,
    /// The task that waits for it, unless an MCP client handed the work over.
    pub parent_task_id: Option<String>,
    /// The task that does the work, as far as this Baton knows it.
    pub child_task_id: Option<String>,
    /// How the work got there.
    pub channel: HandoffChannel,
    /// Why it got there so, when an MCP client handed the work over.
    pub channel_reason: Option<ChannelReason>,
    /// The model that answered the client's sampling instead of the receiver, so that the work took another channel.
    pub answered_model: Option<String>,
    /// The address by which the receiver was named, if it was.
    pub agent_uri: Option<String>,
    /// The sender's W3C trace context.
    pub trace_parent: Option<String>,
    /// What came back.
    pub result: Option<Json>,
    /// The trace in which the work was done.
    pub result_trace_id: Option<String>,
    /// Why it did not complete.
    pub error_message: Option<String>,
}

/// What the probes answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// `ok`, or why not.
    pub status: String,
    /// The version of this Baton.
    pub version: String,
}
