//! Errors of requests to a peer.

use std::time::Duration;

/// Reason why a request failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Nothing was sent: the connection failed.
    #[error("{0}")]
    NotSent(String),
    /// The policy forbids the address, or its credential is not available.
    #[error("{0}")]
    Forbidden(String),
    /// The peer returned an error.
    #[error("{message}")]
    Refused {
        /// JSON-RPC error code, or its equivalent.
        code: i32,
        /// HTTP status, or its equivalent.
        status: u16,
        /// Error message of the peer.
        message: String,
        /// Retry delay requested by the peer.
        retry_after: Option<Duration>,
    },
    /// The connection was lost; the request may have taken effect.
    #[error("{0}")]
    ConnectionLost(String),
    /// The reply is not valid A2A.
    #[error("{0}")]
    InvalidReply(String),
}
