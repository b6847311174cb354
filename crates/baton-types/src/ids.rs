//! Typed identifiers: cheap to clone, impossible to mix up.

use serde::{Deserialize, Serialize};
use std::{borrow::Borrow, fmt, sync::Arc};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Wraps an identifier chosen elsewhere.
            pub fn new(value: impl Into<Arc<str>>) -> Self {
                Self(value.into())
            }

            /// The identifier as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(value: &str) -> Self {
                Self(value.into())
            }
        }

        impl From<String> for $name {
            fn from(value: String) -> Self {
                Self(value.into())
            }
        }
    )*};
}

ids! {
    /// One stateful piece of work; always made by Baton, never by a client.
    TaskId,
    /// A conversation.
    ContextId,
    /// A message inside a conversation.
    MessageId,
    /// One execution that advances a task.
    RunId,
    /// Work given by one agent to another.
    HandoffId,
    /// An output of a task.
    ArtifactId,
    /// A receiver of push notifications, within its task.
    PushConfigId,
    /// One tool call of a model's turn.
    CallId,
    /// An agent as people address it; also its path segment.
    AgentName,
    /// What was said about a conversation of somebody with an agent as a whole.
    SessionId,
}

/// What an event stream of the journal is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StreamId {
    /// The events of a task.
    Task(TaskId),
    /// The events of a handoff.
    Handoff(HandoffId),
    /// The events of a session.
    Session(SessionId),
}

impl StreamId {
    /// The noun as stored beside the id.
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Task(_) => "task",
            Self::Handoff(_) => "handoff",
            Self::Session(_) => "session",
        }
    }

    /// The id without its noun.
    pub fn id(&self) -> &str {
        match self {
            Self::Task(id) => id.as_str(),
            Self::Handoff(id) => id.as_str(),
            Self::Session(id) => id.as_str(),
        }
    }

    /// Reads back what [`StreamId::noun`] and [`StreamId::id`] stored.
    pub fn from_parts(noun: &str, id: &str) -> Option<Self> {
        match noun {
            "task" => Some(Self::Task(id.into())),
            "handoff" => Some(Self::Handoff(id.into())),
            "session" => Some(Self::Session(id.into())),
            _ => None,
        }
    }
}

impl From<TaskId> for StreamId {
    fn from(id: TaskId) -> Self {
        Self::Task(id)
    }
}

impl From<HandoffId> for StreamId {
    fn from(id: HandoffId) -> Self {
        Self::Handoff(id)
    }
}

impl From<SessionId> for StreamId {
    fn from(id: SessionId) -> Self {
        Self::Session(id)
    }
}
