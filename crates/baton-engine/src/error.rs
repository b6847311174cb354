//! Why the engine refused a command.

use baton_ports::JournalError;
use baton_types::{AgentName, ErrorCode, PushConfigId, TaskId, TaskState};

/// A refused command; nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// No agent has this name.
    #[error("there is no agent '{0}'")]
    AgentNotFound(AgentName),
    /// The task does not exist, or not for this caller.
    #[error("there is no task '{0}'")]
    TaskNotFound(TaskId),
    /// The task has ended.
    #[error("task '{task}' is {}", state.as_str())]
    TaskFinished {
        /// The task.
        task: TaskId,
        /// How it ended.
        state: TaskState,
    },
    /// The task has ended otherwise than by being canceled.
    #[error("task '{task}' is {} and cannot be canceled", state.as_str())]
    NotCancelable {
        /// The task.
        task: TaskId,
        /// How it ended.
        state: TaskState,
    },
    /// The task has changed since the caller looked.
    #[error("task '{task}' is at generation {actual}")]
    GenerationMismatch {
        /// The task.
        task: TaskId,
        /// Where it is.
        actual: u64,
    },
    /// The idempotency key stands for another message.
    #[error("the idempotency key '{0}' was used for another message")]
    IdempotencyConflict(String),
    /// Notifications may not go there.
    #[error("{0}")]
    PushRefused(String),
    /// The task has no such push configuration.
    #[error("task '{task}' has no push configuration '{config}'")]
    PushNotFound {
        /// The task.
        task: TaskId,
        /// The configuration asked for.
        config: PushConfigId,
    },
    /// The message is wrong for the task.
    #[error("{detail}")]
    Invalid {
        /// The stable code.
        code: ErrorCode,
        /// Which field of the message, such as `message.contextId`.
        field: String,
        /// What is wrong.
        detail: String,
    },
    /// The engine is stopping.
    #[error("Baton is shutting down")]
    ShuttingDown,
    /// The journal refused or failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl EngineError {
    /// Whether what is stored of one stream cannot be read; asking again does not help, and other streams are not affected.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Journal(baton_ports::JournalError::Damaged { .. }))
    }

    /// The code that people see.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::AgentNotFound(_) => ErrorCode::AGENT_NOT_FOUND,
            Self::TaskNotFound(_) => ErrorCode::TASK_NOT_FOUND,
            Self::TaskFinished { .. } => ErrorCode::TASK_FINISHED,
            Self::NotCancelable { .. } => ErrorCode::TASK_NOT_CANCELABLE,
            Self::GenerationMismatch { .. } => ErrorCode::GENERATION_MISMATCH,
            Self::IdempotencyConflict(_) => ErrorCode::IDEMPOTENCY_CONFLICT,
            Self::PushRefused(_) => ErrorCode::PUSH_URL_REFUSED,
            Self::PushNotFound { .. } => ErrorCode::PUSH_NOT_FOUND,
            Self::Invalid { code, .. } => *code,
            Self::ShuttingDown => ErrorCode::SHUTTING_DOWN,
            Self::Journal(error) => error.code(),
        }
    }
}

impl From<baton_rules::RefusedMessage> for EngineError {
    fn from(refused: baton_rules::RefusedMessage) -> Self {
        Self::Invalid { code: refused.code, field: refused.field, detail: refused.detail }
    }
}
