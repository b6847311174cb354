//! Sessions: one conversation of an owner with an agent, its settings and its imported history.

use crate::{
    AgentName, ApprovalMode, ContextId, ItemKind, Json, Message, RequestContext, SessionId, TaskId, Thousandths,
    Timestamp, Usage,
};
use serde::{Deserialize, Serialize};

/// One numbered event of a session. A conversation without session-level changes has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionEvent {
    /// The session was created; always event 1.
    Opened {
        /// Agent of the session.
        agent: AgentName,
        /// Conversation.
        context: ContextId,
        /// Origin, if the session was forked or imported.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<SessionOrigin>,
        /// Messages before the first task of the conversation.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        history: Vec<SessionEntry>,
    },
    /// The title changed.
    Renamed {
        /// New title; none removes it.
        title: Option<String>,
    },
    /// The settings changed.
    SettingsChanged {
        /// All settings that differ from those of the agent.
        settings: SessionOverrides,
    },
    /// A surface stored private data with the session; not read by anything else.
    NoteAdded {
        /// Key of the data.
        key: String,
        /// Stored value; none removes it.
        value: Option<Json>,
    },
    /// An item was added to every future request.
    Included {
        /// Added item.
        item: ItemName,
    },
    /// An item was removed from future requests, regardless of its definition.
    Excluded {
        /// Removed item.
        item: ItemName,
    },
}

/// A rule, reference or tool by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ItemName {
    /// Kind of the item.
    pub kind: ItemKind,
    /// Item name; for a tool, its name for the model.
    pub name: String,
}

/// Origin of a forked or imported session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionOrigin {
    /// Another session, up to an event of one of its tasks.
    Fork {
        /// Conversation of the other session.
        context: ContextId,
        /// Last copied task and its last copied event; none copies the whole session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<(TaskId, u64)>,
    },
    /// An imported file.
    Import {
        /// Name of the conversation in the file.
        context: Option<String>,
    },
}

/// One message of a conversation with its metadata.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionEntry {
    /// Time of the message.
    pub at: Timestamp,
    /// Message.
    pub message: Message,
    /// Context of the model call, for an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestContext>,
    /// Usage of the model call, for an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether it is a notice for people, such as a change of the model; never sent to models.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub notice: bool,
}

impl SessionEntry {
    /// Creates an entry without metadata.
    pub fn new(at: Timestamp, message: Message) -> Self {
        Self { at, message, request: None, usage: None, notice: false }
    }

    /// Approximate content size in bytes.
    pub fn weight(&self) -> usize {
        self.message.weight() + self.request.as_ref().map_or(0, |request| request.items.len() * 64)
    }
}

/// Session settings that override those of the agent; unset fields are inherited.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionOverrides {
    /// Model, as `provider:model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Model calls per message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u32>,
    /// Upper bound on output tokens per model call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Thousandths>,
    /// Nucleus sampling threshold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<Thousandths>,
    /// When approval is requested before a tool runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_permission: Option<ApprovalMode>,
    /// Whether no person can be asked; cannot be disabled for an autonomous agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub autonomous: Option<bool>,
    /// Number of matching text chunks that are considered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_top_k: Option<u16>,
    /// Target number of items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_top_n: Option<u16>,
    /// Score from which items are always included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_include_score: Option<Thousandths>,
}

impl SessionOverrides {
    /// Whether nothing is overridden.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl SessionId {
    /// Derives the id of a session from owner, agent and conversation. Callers choose context ids, so two owners may
    /// use the same one for different conversations.
    pub fn derive(owner: &crate::Principal, agent: &AgentName, context: &ContextId) -> Self {
        let parts = [&*owner.tenant, &*owner.subject, agent.as_str(), context.as_str()];
        let key: Vec<String> = parts.iter().map(|part| format!("{}:{part}", part.len())).collect();
        Self::from(crate::Digest::compute(key.concat().as_bytes()).as_str())
    }
}
