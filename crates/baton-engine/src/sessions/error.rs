//! Errors of session commands.

use crate::{EngineError, error_codes};
use baton_ports::JournalError;
use baton_rules::{InvalidSetting, ModeRejection};
use baton_types::{AgentName, ContextId, ErrorCode, TaskId};

/// Error of a rejected session command. No state was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The caller has no such session.
    #[error("there is no session '{0}'")]
    NotFound(ContextId),
    /// Sessions with several agents have this context id.
    #[error("session '{context}' exists for several agents: {}; name the agent", names(agents))]
    Ambiguous {
        /// The context id.
        context: ContextId,
        /// The agents.
        agents: Vec<AgentName>,
    },
    /// A task of the session has not ended.
    #[error("task '{task}' of session '{context}' has not ended; cancel it, or delete by force")]
    Unfinished {
        /// The session.
        context: ContextId,
        /// The first unfinished task.
        task: TaskId,
    },
    /// A session with this context id already exists.
    #[error("session '{0}' already exists")]
    Exists(ContextId),
    /// The session does not have the event to fork at.
    #[error("session '{context}' has no event {event} of a task '{task}'")]
    NoSuchEvent {
        /// The session.
        context: ContextId,
        /// The task.
        task: TaskId,
        /// The event.
        event: u64,
    },
    /// The session exceeds a size limit.
    #[error("the session contains more than {limit} {of}")]
    TooLarge {
        /// The limit.
        limit: usize,
        /// Unit of the limit.
        of: &'static str,
    },
    /// A setting or title is invalid.
    #[error(transparent)]
    Setting(#[from] InvalidSetting),
    /// The agent does not support the mode of the settings.
    #[error(transparent)]
    Mode(#[from] ModeRejection),
    /// The engine or the journal rejected the command.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl SessionError {
    /// Public error code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound(_) => error_codes::SESSION_NOT_FOUND,
            Self::Unfinished { .. } => error_codes::SESSION_UNFINISHED,
            Self::Ambiguous { .. }
            | Self::Exists(_)
            | Self::NoSuchEvent { .. }
            | Self::TooLarge { .. }
            | Self::Setting(_) => error_codes::SESSION_INVALID,
            Self::Mode(_) => error_codes::MODE_REFUSED,
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
