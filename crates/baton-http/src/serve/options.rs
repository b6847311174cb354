//! Bounds of connections.

use crate::Tls;
use std::time::Duration;

/// Bounds of connections, and their certificate.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Connections at the same time, handshakes among them; more wait in the listener's backlog.
    pub max_connections: usize,
    /// A connection whose next request head takes longer is closed.
    pub header_timeout: Duration,
    /// Largest request head in bytes.
    pub max_header_bytes: usize,
    /// Most header fields.
    pub max_headers: usize,
    /// Requests at the same time on one HTTP/2 connection.
    pub max_concurrent: u32,
    /// How long requests may go on after shutdown began.
    pub drain: Duration,
    /// What connections are secured with; without it they are plain.
    pub tls: Option<Tls>,
    /// A client that takes longer for its handshake is cut off.
    pub handshake_timeout: Duration,
    /// How often, at most, the certificate's files are looked at for new ones.
    pub certificate_recheck: Duration,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            max_connections: 8192,
            header_timeout: Duration::from_secs(30),
            max_header_bytes: 32 * 1024,
            max_headers: 100,
            max_concurrent: 256,
            drain: Duration::from_secs(5),
            tls: None,
            handshake_timeout: Duration::from_secs(10),
            certificate_recheck: Duration::from_secs(10),
        }
    }
}
