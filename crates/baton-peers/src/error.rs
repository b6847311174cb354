//! What can go wrong between us and a peer.

use std::time::Duration;

/// Why one request gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Nothing left this machine: no connection could be made.
    #[error("{0}")]
    NotSent(String),
    /// The policy forbids the address, or the credential for it cannot be had.
    #[error("{0}")]
    Forbidden(String),
    /// The peer answered, and said no.
    #[error("{message}")]
    Refused {
        /// The JSON-RPC code, or the one that the same refusal has there.
        code: i32,
        /// The HTTP status, or the one that the same refusal has there.
        status: u16,
        /// What the peer said.
        message: String,
        /// When it may be tried again, if the peer said so.
        retry_after: Option<Duration>,
    },
    /// The connection broke off; whether the request took effect is not known.
    #[error("{0}")]
    Broken(String),
    /// What the peer answered is not A2A.
    #[error("{0}")]
    Unintelligible(String),
}
