//! Errors of engine commands.

use crate::error_codes;
use baton_ports::JournalError;
use baton_types::{AgentName, ErrorCode, PushConfigId, TaskId, TaskState};

/// Error of a rejected command. No state was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// No agent has this name.
    #[error("there is no agent '{0}'")]
    AgentNotFound(AgentName),
    /// The task does not exist or is not visible to the caller.
    #[error("there is no task '{0}'")]
    TaskNotFound(TaskId),
    /// The task has ended.
    #[error("task '{task}' is {}", state.as_str())]
    TaskFinished {
        /// The task.
        task: TaskId,
        /// Final state.
        state: TaskState,
    },
    /// The task has ended in a state other than canceled.
    #[error("task '{task}' is {} and cannot be canceled", state.as_str())]
    NotCancelable {
        /// The task.
        task: TaskId,
        /// Final state.
        state: TaskState,
    },
    /// The task has changed since the caller read it.
    #[error("task '{task}' is at generation {actual}")]
    GenerationMismatch {
        /// The task.
        task: TaskId,
        /// Current generation.
        actual: u64,
    },
    /// The idempotency key was used for another message.
    #[error("the idempotency key '{0}' was used for another message")]
    IdempotencyConflict(String),
    /// The push receiver is not allowed.
    #[error("{0}")]
    PushRefused(String),
    /// The task has no such push configuration.
    #[error("task '{task}' has no push configuration '{config}'")]
    PushNotFound {
        /// The task.
        task: TaskId,
        /// The requested configuration.
        config: PushConfigId,
    },
    /// The message is invalid for the task.
    #[error("{detail}")]
    Invalid {
        /// Stable error code.
        code: ErrorCode,
        /// Message field, such as `message.contextId`.
        field: String,
        /// Error detail.
        detail: String,
    },
    /// The engine is shutting down.
    #[error("Baton is shutting down")]
    ShuttingDown,
    /// The journal rejected the commit or failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

impl EngineError {
    /// Whether the stored data of one stream is unreadable. A retry does not help; other streams are not affected.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Journal(baton_ports::JournalError::Damaged { .. }))
    }

    /// Public error code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::AgentNotFound(_) => ErrorCode::AGENT_NOT_FOUND,
            Self::TaskNotFound(_) => ErrorCode::TASK_NOT_FOUND,
            Self::TaskFinished { .. } => ErrorCode::TASK_FINISHED,
            Self::NotCancelable { .. } => ErrorCode::TASK_NOT_CANCELABLE,
            Self::GenerationMismatch { .. } => error_codes::GENERATION_MISMATCH,
            Self::IdempotencyConflict(_) => error_codes::IDEMPOTENCY_CONFLICT,
            Self::PushRefused(_) => error_codes::PUSH_URL_REFUSED,
            Self::PushNotFound { .. } => error_codes::PUSH_NOT_FOUND,
            Self::Invalid { code, .. } => *code,
            Self::ShuttingDown => error_codes::SHUTTING_DOWN,
            Self::Journal(error) => error.code(),
        }
    }
}

impl From<baton_rules::MessageRejection> for EngineError {
    fn from(rejection: baton_rules::MessageRejection) -> Self {
        Self::Invalid { code: rejection.code, field: rejection.field, detail: rejection.detail }
    }
}
