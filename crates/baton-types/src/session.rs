//! A session: one conversation of somebody with an agent, and what was said about it as a whole.

use crate::{
    AgentName, AskWhen, ContextId, ItemKind, Json, Message, RequestContext, SessionId, TaskId, Thousandths, Timestamp,
    Usage,
};
use serde::{Deserialize, Serialize};

/// One numbered fact of a session; a conversation about which nothing was ever said has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionEvent {
    /// The session is on record; always event 1.
    Opened {
        /// With whom.
        agent: AgentName,
        /// The conversation.
        context: ContextId,
        /// Where it was taken from, when it did not begin here.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<SessionOrigin>,
        /// What was said before the first task of the conversation.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        history: Vec<SessionEntry>,
    },
    /// It has another title.
    Renamed {
        /// The title; none takes it away.
        title: Option<String>,
    },
    /// Other settings hold.
    SettingsChanged {
        /// All that differ from the agent's.
        settings: SessionOverrides,
    },
    /// A surface keeps something with the session that it wants to find again; nobody else reads it.
    Noted {
        /// What it is called.
        key: String,
        /// What is kept; none takes it away.
        value: Option<Json>,
    },
    /// Something is part of every request from now on.
    Included {
        /// What.
        item: ItemName,
    },
    /// Something is no longer part of requests, whatever its definition says.
    Excluded {
        /// What.
        item: ItemName,
    },
}

/// A rule, a reference or a tool by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ItemName {
    /// What it is.
    pub kind: ItemKind,
    /// Its name; of a tool, the name that the model knows.
    pub name: String,
}

/// Where a session was taken from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionOrigin {
    /// Another session, up to an event of one of its tasks.
    Fork {
        /// The conversation.
        context: ContextId,
        /// The task up to which it was taken over, and the last event of it; all of it when not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<(TaskId, u64)>,
    },
    /// A file.
    Import {
        /// The conversation that the file was made of, as it was called there.
        context: Option<String>,
    },
}

/// One message of a conversation with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionEntry {
    /// When it was said.
    pub at: Timestamp,
    /// What was said.
    pub message: Message,
    /// What the model was given for it, of an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestContext>,
    /// What the model call used, of an answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether it is a notice for people, such as that the model is another one; models are not given those.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub notice: bool,
}

impl SessionEntry {
    /// A message of which nothing else is known.
    pub fn new(at: Timestamp, message: Message) -> Self {
        Self { at, message, request: None, usage: None, notice: false }
    }

    /// About how many bytes its content takes.
    pub fn weight(&self) -> usize {
        self.message.weight() + self.request.as_ref().map_or(0, |request| request.items.len() * 64)
    }
}

/// Settings of an agent that differ in one session; what is not given is as the agent says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionOverrides {
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
    pub temperature: Option<Thousandths>,
    /// From how much of what is likely it chooses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<Thousandths>,
    /// When somebody is asked before a tool runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_permission: Option<AskWhen>,
    /// Whether nobody is there to be asked; an autonomous agent stays so.
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
    pub context_include_score: Option<Thousandths>,
}

impl SessionOverrides {
    /// Whether all is as the agent says.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl SessionId {
    /// The session of an owner with an agent in a conversation: contexts are named by callers, so that two of them may
    /// use the same name for different conversations.
    pub fn of(owner: &crate::Principal, agent: &AgentName, context: &ContextId) -> Self {
        let parts = [&*owner.tenant, &*owner.subject, agent.as_str(), context.as_str()];
        let key: Vec<String> = parts.iter().map(|part| format!("{}:{part}", part.len())).collect();
        Self::from(crate::Digest::of(key.concat().as_bytes()).as_str())
    }
}
