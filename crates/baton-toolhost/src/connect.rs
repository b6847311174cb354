//! Interface that transports implement to open a connection to a server.

mod link;
mod log;

pub use link::{BoxedTransport, BoxedTransportError};
pub use log::ServerLog;

use baton_ports::BoxFuture;
use baton_types::{AgentName, McpServer, McpTransport};
use rmcp::service::ClientInitializeError;
use std::{collections::HashMap, sync::Arc};

/// Transport of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransportKind {
    /// A program that communicates over its standard streams.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// The older HTTP+SSE.
    Sse,
    /// An address that may serve streamable HTTP or HTTP+SSE.
    Remote,
    /// Part of Baton.
    Internal,
}

impl TransportKind {
    /// The kind named by a definition.
    pub fn from_transport(transport: &McpTransport) -> Self {
        match transport {
            McpTransport::Stdio { .. } => Self::Stdio,
            McpTransport::Http { .. } => Self::Http,
            McpTransport::Sse { .. } => Self::Sse,
            McpTransport::Remote { .. } => Self::Remote,
            McpTransport::Internal { .. } => Self::Internal,
        }
    }

    /// Name in a status.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http | Self::Remote => "http",
            Self::Sse => "sse",
            Self::Internal => "internal",
        }
    }
}

/// Handshake and transport of a connection attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectAttempt {
    /// Sends `server/discover` first, then `initialize` if the server does not support it.
    Discover,
    /// Sends `initialize` first.
    Initialize,
    /// `initialize` failed on the newer transport; uses the older one ([`ServerConnector::has_older_transport`]).
    Older,
}

/// The server to connect to.
#[derive(Clone, Copy)]
pub struct ConnectTarget<'a> {
    /// Agent that owns the server.
    pub agent: &'a AgentName,
    /// The server, with the variables in its transport expanded.
    pub server: &'a McpServer,
    /// Receives server output outside of the protocol.
    pub log: &'a ServerLog,
}

/// Connection failure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    /// The server is unreachable or misconfigured.
    #[error("{reason}")]
    Failed {
        /// Cause, without secrets.
        reason: String,
        /// Suggested fix.
        hint: String,
    },
    /// A login is required; no retry until then.
    #[error("{reason}")]
    NeedsLogin {
        /// Cause, without secrets.
        reason: String,
        /// Suggested fix.
        hint: String,
    },
}

/// Opens connections of one transport kind.
pub trait ServerConnector: Send + Sync + 'static {
    /// Opens a connection without sending anything; dropping the [`BoxedTransport`] closes it immediately.
    fn open<'a>(
        &'a self,
        target: ConnectTarget<'a>,
        attempt: ConnectAttempt,
    ) -> BoxFuture<'a, Result<BoxedTransport, ConnectError>>;

    /// Whether to try an older transport after this failure of `initialize`.
    fn has_older_transport(&self, target: ConnectTarget<'_>, failure: &ClientInitializeError) -> bool {
        let _ = (target, failure);
        false
    }

    /// Readable error for a failed handshake, if this transport knows more than the protocol error.
    fn explain(&self, target: ConnectTarget<'_>, failure: &ClientInitializeError) -> Option<ConnectError> {
        let _ = (target, failure);
        None
    }
}

/// Registry of transports.
#[derive(Clone, Default)]
pub struct ConnectorRegistry {
    by_kind: HashMap<TransportKind, Arc<dyn ServerConnector>>,
}

impl ConnectorRegistry {
    /// An empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers the transport for servers of this kind.
    #[must_use]
    pub fn with(mut self, kind: TransportKind, connect: Arc<dyn ServerConnector>) -> Self {
        self.by_kind.insert(kind, connect);
        self
    }

    /// The transport for a kind.
    pub fn get(&self, kind: TransportKind) -> Option<Arc<dyn ServerConnector>> {
        self.by_kind.get(&kind).cloned()
    }
}
