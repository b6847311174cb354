//! Why nothing was done with a session.

use crate::EngineError;
use baton_ports::JournalError;
use baton_rules::{RefusedMode, RefusedSetting};
use baton_types::{AgentName, ContextId, ErrorCode, TaskId};

/// A refused command about a session; nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The caller has no such conversation.
    #[error("there is no session '{0}'")]
    NotFound(ContextId),
    /// Conversations with several agents have this name.
    #[error("session '{context}' is one with each of {}; name the agent", names(agents))]
    Ambiguous {
        /// The name.
        context: ContextId,
        /// The agents.
        agents: Vec<AgentName>,
    },
    /// Something in it has not ended.
    #[error("task '{task}' of session '{context}' has not ended; cancel it, or delete by force")]
    Unfinished {
        /// The conversation.
        context: ContextId,
        /// The first such task.
        task: TaskId,
    },
    /// A new conversation cannot have the name of one that is there.
    #[error("there is a session '{0}' already")]
    Exists(ContextId),
    /// The conversation does not have the event up to which it is to be taken over.
    #[error("session '{context}' has no event {event} of a task '{task}'")]
    NoSuchEvent {
        /// The conversation.
        context: ContextId,
        /// The task.
        task: TaskId,
        /// The event.
        event: u64,
    },
    /// It holds more than one session may be taken over with.
    #[error("the session holds more than {most} {of}")]
    TooLarge {
        /// The bound.
        most: usize,
        /// Of what.
        of: &'static str,
    },
    /// A setting or title is out of bounds.
    #[error(transparent)]
    Setting(#[from] RefusedSetting),
    /// The agent does not work in the mode that the settings ask for.
    #[error(transparent)]
    Mode(#[from] RefusedMode),
    /// The engine or its journal refused.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl SessionError {
    /// The code that people see.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound(_) => ErrorCode::SESSION_NOT_FOUND,
            Self::Unfinished { .. } => ErrorCode::SESSION_UNFINISHED,
            Self::Ambiguous { .. }
            | Self::Exists(_)
            | Self::NoSuchEvent { .. }
            | Self::TooLarge { .. }
            | Self::Setting(_) => ErrorCode::SESSION_INVALID,
            Self::Mode(_) => ErrorCode::MODE_REFUSED,
            Self::Engine(error) => error.code(),
        }
    }
}

impl From<JournalError> for SessionError {
    fn from(error: JournalError) -> Self {
        Self::Engine(error.into())
    }
}

fn names(agents: &[AgentName]) -> String {
    let names: Vec<&str> = agents.iter().map(AgentName::as_str).collect();
    names.join(", ")
}
