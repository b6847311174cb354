//! Why a server on the network did not do what it was asked.

use crate::oauth::LoginError;
use baton_outbound::OutboundError;

/// Why a message did not reach a server on the network, or its answer did not come back.
#[derive(Debug, thiserror::Error)]
pub enum RemoteError {
    /// The network, or a policy about it.
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    /// Whoever answers there does not take messages this way.
    #[error("it answered {status} to a message: no MCP server is at this address, or it speaks the older HTTP+SSE")]
    NotSpoken {
        /// The status of the answer.
        status: u16,
    },
    /// An answer of another status than the protocol has.
    #[error("it answered {status}")]
    Status {
        /// The status.
        status: u16,
    },
    /// An answer that is neither JSON nor a stream of events.
    #[error("it answered with {found} instead of JSON or a stream of events")]
    Content {
        /// What came.
        found: String,
    },
    /// The older transport: no address to send messages to.
    #[error("it named no address for messages{0}")]
    NoEndpoint(&'static str),
    /// The older transport: messages would go to somebody else.
    #[error("it wants messages to be sent to {endpoint}, which is another origin")]
    ForeignEndpoint {
        /// Where to.
        endpoint: String,
    },
    /// The connection is over.
    #[error("the connection is closed")]
    Closed,
    /// A message that is no JSON.
    #[error("a message cannot be written: {0}")]
    Unwritable(String),
    /// What is shown to the server cannot be had, or is not for it.
    #[error("{0}")]
    Credential(String),
    /// Logging in did not work, or needs a person.
    #[error(transparent)]
    Login(#[from] LoginError),
}
