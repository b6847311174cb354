//! Options of a client.

use crate::{CertificateDer, ClientIdentity};
use std::time::Duration;

/// Timeouts, limits and TLS settings of a client.
#[derive(Clone, Debug)]
pub struct OutboundOptions {
    /// Timeout of a connection: name lookup, TCP and TLS together.
    pub connect_timeout: Duration,
    /// Timeout of the whole request, including redirects and the body of the reply.
    pub request_timeout: Duration,
    /// Timeout of the body once the head has arrived; the part received until then is kept.
    pub body_timeout: Duration,
    /// Timeout until the head of a streamed reply, redirects included.
    pub head_timeout: Duration,
    /// Idle timeout of a streamed body.
    pub idle_body_timeout: Duration,
    /// Maximum number of consecutive redirects.
    pub max_redirects: usize,
    /// Whether redirects to another origin are refused even without secrets.
    pub same_origin: bool,
    /// Maximum number of body bytes read; the rest is dropped with the connection.
    pub max_reply: usize,
    /// Maximum number of idle connections per host.
    pub idle_per_host: usize,
    /// Maximum number of hosts with idle connections; other hosts get a new connection for each request.
    pub idle_hosts: usize,
    /// Maximum number of concurrent name lookups, including abandoned ones.
    pub lookups: usize,
    /// Time after which idle connections are closed.
    pub idle_timeout: Duration,
    /// Root certificates to trust in addition to those of the system.
    pub extra_roots: Vec<CertificateDer<'static>>,
    /// Certificate for servers that request one.
    pub client_identity: Option<ClientIdentity>,
}

impl Default for OutboundOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            request_timeout: Duration::from_secs(20),
            body_timeout: Duration::from_secs(2),
            head_timeout: Duration::from_secs(60),
            idle_body_timeout: Duration::from_secs(60),
            max_redirects: 3,
            same_origin: false,
            max_reply: 64 * 1024,
            idle_per_host: 2,
            idle_hosts: 64,
            lookups: 64,
            idle_timeout: Duration::from_secs(30),
            extra_roots: Vec::new(),
            client_identity: None,
        }
    }
}
