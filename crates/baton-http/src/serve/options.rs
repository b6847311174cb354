//! Connection limits.

use crate::Tls;
use std::time::Duration;

/// Connection limits and the TLS certificate.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// Maximum concurrent connections, including handshakes. Further connections wait in the listener's backlog.
    pub max_connections: usize,
    /// Timeout for reading a request head.
    pub header_timeout: Duration,
    /// Maximum request head in bytes.
    pub max_header_bytes: usize,
    /// Maximum header fields.
    pub max_headers: usize,
    /// Maximum concurrent requests per HTTP/2 connection.
    pub max_concurrent: u32,
    /// Maximum duration of requests after shutdown has begun.
    pub drain: Duration,
    /// TLS configuration; `None` for plain connections.
    pub tls: Option<Tls>,
    /// Timeout of the TLS handshake.
    pub handshake_timeout: Duration,
    /// Minimum interval between checks of the certificate files.
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
