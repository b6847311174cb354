//! Conversations as a whole: lists, transcripts, settings, and the files that they are carried in.

use crate::{a2a::v1::Message, de};
use baton_types::{AskWhen, Include, ItemKind, Json, SessionOverrides, Thousandths, Timestamp};
use serde::{Deserialize, Serialize};

/// What a file of a session says first.
pub const SESSION_FORMAT: &str = "baton.session/1";

/// One page of the caller's sessions, those in which something happened last first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionList {
    /// The sessions.
    pub sessions: Vec<SessionSummary>,
    /// How many there are without paging.
    pub total: u64,
    /// Asks for the next page, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_page_token: Option<String>,
}

/// One session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionSummary {
    /// The conversation, as messages name it.
    pub context_id: String,
    /// With whom.
    pub agent: String,
    /// What people call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// How many tasks it has.
    pub tasks: u64,
    /// How many of them have not ended.
    pub unfinished: u64,
    /// When it began.
    #[serde(with = "de::rfc3339")]
    pub began_at: Option<Timestamp>,
    /// When something last happened.
    #[serde(with = "de::rfc3339")]
    pub last_at: Option<Timestamp>,
    /// What was last said, shortened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_word: Option<String>,
    /// The session that it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<String>,
    /// Whether it came from a file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
}

/// One session, whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionDetails<'a> {
    /// The session.
    pub session: SessionSummary,
    /// Settings that differ from the agent's.
    pub settings: SessionSettings,
    /// What somebody named, in the order of naming.
    pub included: Vec<SessionItem>,
    /// What is left out.
    pub excluded: Vec<SessionItem>,
    /// What was said, oldest first.
    pub messages: Vec<SessionMessage<'a>>,
}

/// A session as a file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionFile<'a> {
    /// [`SESSION_FORMAT`].
    pub format: String,
    /// With whom it was.
    pub agent: String,
    /// What it was called there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_id: Option<String>,
    /// What people call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Settings that differ from the agent's.
    #[serde(default)]
    pub settings: SessionSettings,
    /// What somebody named.
    #[serde(default)]
    pub included: Vec<SessionItem>,
    /// What is left out.
    #[serde(default)]
    pub excluded: Vec<SessionItem>,
    /// What was said, oldest first.
    pub messages: Vec<SessionMessage<'a>>,
}

/// One thing that was said.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionMessage<'a> {
    /// When.
    #[serde(with = "de::rfc3339")]
    pub at: Option<Timestamp>,
    /// The number of the event since which it stands in its task, at which the session can be forked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
    /// Whether it is a notice for people, which models are not given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub notice: bool,
    /// The message.
    pub message: Message<'a>,
    /// What the model was given for this answer beside the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_context: Option<Vec<SessionUsedItem>>,
    /// What the model call used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<SessionUsage>,
}

/// A rule, a reference or a tool that the model was given, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionUsedItem {
    /// What it is.
    pub kind: ItemKind,
    /// Its name.
    pub name: String,
    /// The MCP server that a tool is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Why it was there.
    pub include: Include,
    /// How much it had to do with what was asked, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
}

/// What a model call used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionUsage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
}

/// A rule, a reference or a tool by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionItem {
    /// What it is.
    pub kind: ItemKind,
    /// Its name.
    pub name: String,
}

/// Settings of an agent that differ in a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionSettings {
    /// The model, as `provider:model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Model calls per message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// Tokens that one model call may write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// How freely the model chooses its words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// From how much of what is likely it chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// When somebody is asked before a tool runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_permission: Option<AskWhen>,
    /// Whether nobody is there to be asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub autonomous: Option<bool>,
    /// Matches of pieces of text that are looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_top_k: Option<u16>,
    /// Items that are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_top_n: Option<u16>,
    /// Items that score as much are all taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_include_score: Option<f64>,
}

impl SessionSettings {
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

    /// The settings as Baton knows them; the error is the name of one that is no number there can be.
    pub fn check(&self) -> Result<SessionOverrides, &'static str> {
        let share = |name, given: Option<f64>| given.map(|given| Thousandths::of(given).ok_or(name)).transpose();
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

impl From<&SessionOverrides> for SessionSettings {
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

/// What is to be different about a session; what is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeSession {
    /// Its title; an empty one takes it away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Settings by name; `null` makes one the agent's again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<Json>,
    /// What is part of every request from now on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<SessionItem>,
    /// What no longer is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<SessionItem>,
}

/// What holds in a session after a change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChangedSession {
    /// The conversation.
    pub context_id: String,
    /// With whom.
    pub agent: String,
    /// What people call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Settings that differ from the agent's.
    pub settings: SessionSettings,
    /// What somebody named.
    pub included: Vec<SessionItem>,
    /// What is left out.
    pub excluded: Vec<SessionItem>,
    /// The file in which settings were saved as the agent's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// Up to where a session is taken over, and as what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ForkSession {
    /// The last task that is taken over; all of them when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// The last event of that task; all of them when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<u64>,
    /// What the new one is called; a fresh id when not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_id: Option<String>,
}

/// A session that was made of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedSession {
    /// The new session.
    pub session: SessionSummary,
    /// What the file did not carry, or could not be taken, in words.
    pub lost: Vec<String>,
}

/// A session that is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeletedSession {
    /// The conversation.
    pub context_id: String,
    /// With whom it was.
    pub agent: String,
    /// How many tasks went.
    pub tasks: u64,
    /// How many were canceled for it.
    pub canceled: u64,
}
