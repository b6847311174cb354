//! How a connection to a server is opened: the seam that transports plug into.

mod link;
mod log;

pub use link::{Link, LinkError};
pub use log::ServerLog;

use baton_ports::BoxFuture;
use baton_types::{AgentName, McpServer, McpTransport};
use rmcp::service::ClientInitializeError;
use std::{collections::HashMap, sync::Arc};

/// The ways to reach a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransportKind {
    /// A program that speaks on its standard streams.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// The older HTTP+SSE.
    Sse,
    /// An address that may be either.
    Remote,
    /// Part of Baton.
    Internal,
}

impl TransportKind {
    /// The kind that a definition names.
    pub fn of(transport: &McpTransport) -> Self {
        match transport {
            McpTransport::Stdio { .. } => Self::Stdio,
            McpTransport::Http { .. } => Self::Http,
            McpTransport::Sse { .. } => Self::Sse,
            McpTransport::Remote { .. } => Self::Remote,
            McpTransport::Internal { .. } => Self::Internal,
        }
    }

    /// The word for it in a status.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http | Self::Remote => "http",
            Self::Sse => "sse",
            Self::Internal => "internal",
        }
    }
}

/// What the connection is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// `server/discover` is said first, and `initialize` after it when the server does not know it.
    Discover,
    /// `initialize` is said first.
    Initialize,
    /// `initialize` failed on the newer transport, and the older one is tried ([`Connect::has_older`]).
    Older,
}

/// The server to connect to.
#[derive(Clone, Copy)]
pub struct Target<'a> {
    /// Whose server.
    pub agent: &'a AgentName,
    /// The server; the variables in its transport's values are expanded.
    pub server: &'a McpServer,
    /// Takes what the server writes beside the protocol.
    pub log: &'a ServerLog,
}

/// Why there is no connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// It cannot be reached or is set up wrongly.
    #[error("{reason}")]
    Failed {
        /// What happened, without secrets.
        reason: String,
        /// What to do about it.
        hint: String,
    },
    /// Somebody has to log in first; nothing is tried again until then.
    #[error("{reason}")]
    NeedsLogin {
        /// What happened, without secrets.
        reason: String,
        /// What to do about it.
        hint: String,
    },
}

/// Opens connections of one kind.
pub trait Connect: Send + Sync + 'static {
    /// Opens one connection, on which nothing was said yet; dropping the [`Link`] closes it at once.
    fn open<'a>(&'a self, target: Target<'a>, attempt: Attempt) -> BoxFuture<'a, Result<Link, ConnectError>>;

    /// Whether an older transport is worth a try after `initialize` failed like this.
    fn has_older(&self, target: Target<'_>, failure: &ClientInitializeError) -> bool {
        let _ = (target, failure);
        false
    }

    /// What a failed opening of the protocol means for people, when this transport knows better than the protocol.
    fn explain(&self, target: Target<'_>, failure: &ClientInitializeError) -> Option<ConnectError> {
        let _ = (target, failure);
        None
    }
}

/// The transports that this host knows.
#[derive(Clone, Default)]
pub struct Connectors {
    by_kind: HashMap<TransportKind, Arc<dyn Connect>>,
}

impl Connectors {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses this one for servers of that kind.
    #[must_use]
    pub fn with(mut self, kind: TransportKind, connect: Arc<dyn Connect>) -> Self {
        self.by_kind.insert(kind, connect);
        self
    }

    /// The one for a kind.
    pub fn get(&self, kind: TransportKind) -> Option<Arc<dyn Connect>> {
        self.by_kind.get(&kind).cloned()
    }
}
