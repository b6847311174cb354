//! Orchestration errors.

use crate::error_codes;
use baton_ports::{PeerError, PeerRegistryError};
use baton_types::ErrorCode;
use std::time::Duration;

/// Reasons why an agent gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrchestrateError {
    /// There is no usable agent at the address.
    #[error("{0}")]
    UnknownAgent(#[from] PeerRegistryError),
    /// The agent is unreachable, refused the request, or was lost.
    #[error("{0}")]
    Peer(#[from] PeerError),
    /// The agent delegates its tools, and its Environment cannot be used.
    #[error(
        "{agent} delegates its tools to its caller{}, and its Environment at {url} cannot be used: {reason}",
        task_suffix(task)
    )]
    NoEnvironment {
        /// Address of the agent.
        agent: String,
        /// Address of the Environment.
        url: String,
        /// The waiting task.
        task: Option<String>,
        /// Reason of the failure.
        reason: String,
    },
    /// The limit of tool rounds was exceeded.
    #[error("{agent} was stopped{}: it requested tools more than {rounds} times", task_suffix(task))]
    Rounds {
        /// Address of the agent.
        agent: String,
        /// The task, which was cancelled.
        task: Option<String>,
        /// The limit.
        rounds: u32,
    },
    /// The agent requested too many tool calls at once.
    #[error(
        "{agent} was stopped{}: it requested {calls} tool calls at once, and the limit is {limit}",
        task_suffix(task)
    )]
    Calls {
        /// Address of the agent.
        agent: String,
        /// The task, which was cancelled.
        task: Option<String>,
        /// Number of requested calls.
        calls: usize,
        /// The limit.
        limit: usize,
    },
    /// The deadline of the whole request has passed.
    #[error("{agent} was stopped: there was no answer within {} seconds", within.as_secs())]
    Deadline {
        /// Address of the agent.
        agent: String,
        /// The deadline.
        within: Duration,
    },
    /// An answer does not match its question.
    #[error("{0}")]
    InvalidAnswer(String),
}

impl OrchestrateError {
    /// Stable error code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::UnknownAgent(error) => error.code,
            Self::Peer(PeerError::Unreachable { code, .. }) => *code,
            Self::Peer(PeerError::Lost(_)) | Self::NoEnvironment { .. } => ErrorCode::PEER_UNREACHABLE,
            Self::Peer(PeerError::InDoubt(_)) => ErrorCode::PEER_IN_DOUBT,
            Self::Peer(PeerError::Refused(_)) | Self::Rounds { .. } | Self::Calls { .. } => ErrorCode::PEER_FAILED,
            Self::Deadline { .. } => ErrorCode::RUN_DEADLINE,
            Self::InvalidAnswer(_) => error_codes::ANSWER_INVALID,
        }
    }
}

fn task_suffix(task: &Option<String>) -> String {
    task.as_ref().map(|task| format!(" (task {task})")).unwrap_or_default()
}
