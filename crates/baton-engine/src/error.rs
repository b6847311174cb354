//! Why the engine refused a command.

use baton_ports::JournalError;
use baton_types::{AgentName, ErrorCode, TaskId, TaskState};

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
    /// The code that people see.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::AgentNotFound(_) => ErrorCode::AGENT_NOT_FOUND,
            Self::TaskNotFound(_) => ErrorCode::TASK_NOT_FOUND,
            Self::TaskFinished { .. } => ErrorCode::TASK_FINISHED,
            Self::NotCancelable { .. } => ErrorCode::TASK_NOT_CANCELABLE,
            Self::Invalid { code, .. } => *code,
            Self::ShuttingDown => ErrorCode::SHUTTING_DOWN,
            Self::Journal(error) => error.code(),
        }
    }
}
