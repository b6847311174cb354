//! Sessions: lists, transcripts, settings, and export files.

use baton_types::{ApprovalMode, InclusionMode, ItemKind, Json, SessionOverrides, Thousandths, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Value of the `format` member of a session file.
pub const SESSION_FORMAT: &str = "baton.session/1";

/// One page of the caller's sessions, most recently active first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionList {
    /// The sessions.
    pub sessions: Vec<SessionSummary>,
    /// Total number of sessions, ignoring paging.
    pub total: u64,
    /// Token of the next page, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<String>,
}

/// Summary of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionSummary {
    /// Context id, as used in messages.
    pub context_id: String,
    /// Agent of the session.
    pub agent: String,
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Number of tasks.
    pub tasks: u64,
    /// Number of tasks that have not ended.
    pub open_tasks: u64,
    /// Start time.
    #[serde(with = "baton_types::rfc3339")]
    #[schemars(schema_with = "crate::schema::timestamp")]
    pub started_at: Option<Timestamp>,
    /// Time of the last activity.
    #[serde(with = "baton_types::rfc3339")]
    #[schemars(schema_with = "crate::schema::timestamp")]
    pub last_activity_at: Option<Timestamp>,
    /// Excerpt of the last message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_message: Option<String>,
    /// Context id of the session that it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<String>,
    /// Whether it was imported from a file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
}

/// A session with its settings and transcript.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SessionDetails")]
pub struct SessionDetails<M> {
    /// Summary.
    pub session: SessionSummary,
    /// Settings that override the agent's.
    pub settings: SessionSettingsBody,
    /// Explicitly included items, in the order of inclusion.
    pub included: Vec<SessionItem>,
    /// Excluded items.
    pub excluded: Vec<SessionItem>,
    /// Messages, oldest first.
    pub messages: Vec<SessionMessage<M>>,
}

/// A session in file form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SessionFile")]
pub struct SessionFile<M> {
    /// `baton.session/1`.
    pub format: String,
    /// Agent of the session.
    pub agent: String,
    /// Context id on the exporting server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_id: Option<String>,
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Settings that override the agent's.
    #[serde(default)]
    pub settings: SessionSettingsBody,
    /// Explicitly included items.
    #[serde(default)]
    pub included: Vec<SessionItem>,
    /// Excluded items.
    #[serde(default)]
    pub excluded: Vec<SessionItem>,
    /// Messages, oldest first.
    pub messages: Vec<SessionMessage<M>>,
}

/// One message of a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SessionMessage")]
pub struct SessionMessage<M> {
    /// Time of the message; the time of the import when `null`.
    #[serde(with = "baton_types::rfc3339")]
    #[schemars(schema_with = "crate::schema::timestamp_or_null")]
    pub at: Option<Timestamp>,
    /// Number of the event that recorded it in its task; a possible fork point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
    /// Whether it is a notice for people, which is never sent to models.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub notice: bool,
    /// The message.
    pub message: M,
    /// Items that were sent to the model for this answer in addition to the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_context: Option<Vec<SessionContextItem>>,
    /// Token usage of the model call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<SessionUsage>,
}

/// A rule, a reference or a tool that was sent to the model, and the reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionContextItem {
    /// Kind of item.
    pub kind: ItemKind,
    /// Its name.
    pub name: String,
    /// MCP server of a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Reason for its inclusion.
    pub include: InclusionMode,
    /// Relevance to the request, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// Token usage of a model call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionUsage {
    /// Input tokens.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
}

/// A rule, a reference or a tool by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionItem {
    /// Kind of item.
    pub kind: ItemKind,
    /// Its name.
    pub name: String,
}

/// Settings of a session that override the agent's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SessionSettingsBody {
    /// The model, as `provider:model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Maximum number of model calls per message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// Maximum number of output tokens per model call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus sampling threshold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// When to ask for approval before a tool runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_permission: Option<ApprovalMode>,
    /// Whether the agent runs without a person to answer questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub autonomous: Option<bool>,
    /// Number of chunk matches to consider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_top_k: Option<u16>,
    /// Target number of items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_top_n: Option<u16>,
    /// Items with at least this score are always included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_include_score: Option<f64>,
}

impl SessionSettingsBody {
    /// The names of all settings.
    pub const NAMES: [&str; 10] = [
        "model",
        "max_turns",
        "max_output_tokens",
        "temperature",
        "top_p",
        "tool_permission",
        "autonomous",
        "context_top_k",
        "context_top_n",
        "context_include_score",
    ];

    /// Converts the settings. The error is the name of a setting whose number is out of range.
    pub fn check(&self) -> Result<SessionOverrides, &'static str> {
        let share = |name, value: Option<f64>| value.map(|value| Thousandths::from_f64(value).ok_or(name)).transpose();
        Ok(SessionOverrides {
            model: self.model.clone(),
            max_turns: self.max_turns,
            max_output_tokens: self.max_output_tokens,
            temperature: share("temperature", self.temperature)?,
            top_p: share("top_p", self.top_p)?,
            tool_permission: self.tool_permission,
            autonomous: self.autonomous,
            context_top_k: self.context_top_k,
            context_top_n: self.context_top_n,
            context_include_score: share("context_include_score", self.context_include_score)?,
        })
    }
}

impl From<&SessionOverrides> for SessionSettingsBody {
    fn from(settings: &SessionOverrides) -> Self {
        Self {
            model: settings.model.clone(),
            max_turns: settings.max_turns,
            max_output_tokens: settings.max_output_tokens,
            temperature: settings.temperature.map(Thousandths::get),
            top_p: settings.top_p.map(Thousandths::get),
            tool_permission: settings.tool_permission,
            autonomous: settings.autonomous,
            context_top_k: settings.context_top_k,
            context_top_n: settings.context_top_n,
            context_include_score: settings.context_include_score.map(Thousandths::get),
        }
    }
}

/// Changes to a session; absent members stay unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeSession {
    /// New title; an empty one removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Settings by name; `null` restores the agent's value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(schema_with = "crate::schema::object")]
    pub settings: Option<Json>,
    /// Items to include in every request from now on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<SessionItem>,
    /// Items to exclude from now on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<SessionItem>,
}

/// State of a session after a change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangedSession {
    /// Context id.
    pub context_id: String,
    /// Agent of the session.
    pub agent: String,
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Settings that override the agent's.
    pub settings: SessionSettingsBody,
    /// Explicitly included items.
    pub included: Vec<SessionItem>,
    /// Excluded items.
    pub excluded: Vec<SessionItem>,
    /// File in which the settings were saved as the agent's settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// Fork point and id of a new session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ForkSession {
    /// Last task to copy; all tasks when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Last event of that task to copy; all events when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
    /// Context id of the new session; generated when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_id: Option<String>,
}

/// Result of importing a session file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedSession {
    /// The new session.
    pub session: SessionSummary,
    /// Messages about data that the file lacked or that could not be imported.
    pub warnings: Vec<String>,
}

/// Result of deleting a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeletedSession {
    /// Context id.
    pub context_id: String,
    /// Agent of the session.
    pub agent: String,
    /// Number of deleted tasks.
    pub tasks: u64,
    /// Number of tasks that were canceled for the deletion.
    pub canceled: u64,
}
