//! Why there is no answer.

use baton_ports::{PeerBookError, PeerError};
use baton_types::ErrorCode;
use std::time::Duration;

/// Why an agent gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrchestrateError {
    /// There is no usable agent at the address.
    #[error("{0}")]
    Unknown(#[from] PeerBookError),
    /// It could not be reached, refused, or was lost.
    #[error("{0}")]
    Peer(#[from] PeerError),
    /// It wants its tools to be run, and the place where they are cannot be used.
    #[error(
        "{agent} wants its tools to be run by whoever asks it{}, and its Environment at {url} cannot be used: {reason}",
        waiting(task)
    )]
    NoEnvironment {
        /// The agent.
        agent: String,
        /// Where its Environment was looked for.
        url: String,
        /// The task that waits.
        task: Option<String>,
        /// What happened there.
        reason: String,
    },
    /// It asked for tools again and again.
    #[error("{agent} was given up{}: it wanted tools to be run more than {rounds} times", waiting(task))]
    Rounds {
        /// The agent.
        agent: String,
        /// The task, which was told to stop.
        task: Option<String>,
        /// The limit.
        rounds: u32,
    },
    /// It asked for too many tools at a time.
    #[error(
        "{agent} was given up{}: it wanted {calls} tools to be run at a time, and {most} is the limit",
        waiting(task)
    )]
    Calls {
        /// The agent.
        agent: String,
        /// The task, which was told to stop.
        task: Option<String>,
        /// How many.
        calls: usize,
        /// The limit.
        most: usize,
    },
    /// Everything together took too long.
    #[error("{agent} was given up: there was no answer within {} seconds", within.as_secs())]
    Deadline {
        /// The agent.
        agent: String,
        /// The limit.
        within: Duration,
    },
    /// An answer does not fit what was asked.
    #[error("{0}")]
    Unfitting(String),
}

impl OrchestrateError {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Unknown(error) => error.code,
            Self::Peer(PeerError::Unreached { code, .. }) => *code,
            Self::Peer(PeerError::Lost(_)) | Self::NoEnvironment { .. } => ErrorCode::PEER_UNREACHABLE,
            Self::Peer(PeerError::InDoubt(_)) => ErrorCode::PEER_IN_DOUBT,
            Self::Peer(PeerError::Refused(_)) | Self::Rounds { .. } | Self::Calls { .. } => ErrorCode::PEER_FAILED,
            Self::Deadline { .. } => ErrorCode::RUN_DEADLINE,
            Self::Unfitting(_) => ErrorCode::ANSWER_INVALID,
        }
    }
}

fn waiting(task: &Option<String>) -> String {
    task.as_ref().map(|task| format!(" (task {task})")).unwrap_or_default()
}
