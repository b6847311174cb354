//! Errors of remote servers.

use crate::oauth::LoginError;
use baton_outbound::OutboundError;

/// Failure to send a message to a remote server or to receive its response.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// Network or address policy error.
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    /// The endpoint does not accept messages over streamable HTTP.
    #[error("it answered {status} to a message: no MCP server is at this address, or it speaks the older HTTP+SSE")]
    NotMcp {
        /// HTTP status.
        status: u16,
    },
    /// An unexpected HTTP status.
    #[error("it answered {status}")]
    Status {
        /// HTTP status.
        status: u16,
    },
    /// A response that is neither JSON nor an event stream.
    #[error("it answered with {found} instead of JSON or an event stream")]
    Content {
        /// Received content type or problem.
        found: String,
    },
    /// HTTP+SSE: no endpoint for messages.
    #[error("it sent no message endpoint{0}")]
    NoEndpoint(&'static str),
    /// HTTP+SSE: the message endpoint has another origin.
    #[error("its message endpoint {endpoint} is on another origin")]
    ForeignEndpoint {
        /// The endpoint.
        endpoint: String,
    },
    /// The connection is closed.
    #[error("the connection is closed")]
    Closed,
    /// A message that cannot be serialized to JSON.
    #[error("a message cannot be written: {0}")]
    Unwritable(String),
    /// The credential is unavailable or not meant for this server.
    #[error("{0}")]
    Credential(String),
    /// The login failed or needs a user.
    #[error(transparent)]
    Login(#[from] LoginError),
}
