//! Options that all surfaces share.

use crate::{AccessOptions, CorsOrigins};
use baton_telemetry::Tracer;
use baton_types::Timestamp;
use std::{net::SocketAddr, time::Duration};
use tokio_util::sync::CancellationToken;

/// Limits, addresses and access control.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Address of the listener. Its IP is a valid host of requests.
    pub bound: Option<SocketAddr>,
    /// Public URL in cards, without a trailing slash; the host of the request if not set.
    pub public_url: Option<String>,
    /// Additional allowed host names for requests and web pages.
    pub allow_hosts: Vec<String>,
    /// Whether connections use TLS, so that addresses in cards begin with `https`.
    pub tls: bool,
    /// Allowed CORS origins.
    pub cors_origins: CorsOrigins,
    /// Start time of the process: the `Last-Modified` of cards.
    pub started_at: Timestamp,
    /// Maximum request body in bytes.
    pub max_body: usize,
    /// Maximum bytes of all request bodies in flight. Further bodies are rejected with a retry hint.
    pub max_bodies_total: usize,
    /// Timeout for reading a body.
    pub body_timeout: Duration,
    /// Maximum concurrent streams.
    pub max_streams: usize,
    /// Maximum percentage of the streams, sockets and body bytes per principal; without authentication, per client
    /// address.
    pub principal_share: u8,
    /// Keep-alive interval of an idle stream.
    pub keep_alive: Duration,
    /// Authentication and access options.
    pub access: AccessOptions,
    /// Tracer of request spans.
    pub tracer: Tracer,
    /// Ends every stream when cancelled; pass the same token to [`crate::serve`].
    pub shutdown: CancellationToken,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            bound: None,
            public_url: None,
            allow_hosts: Vec::new(),
            tls: false,
            cors_origins: CorsOrigins::default(),
            started_at: Timestamp::default(),
            max_body: 8 * 1024 * 1024,
            max_bodies_total: 256 * 1024 * 1024,
            body_timeout: Duration::from_secs(60),
            max_streams: 4096,
            principal_share: 25,
            // Common HTTP clients, such as the official Python client, close a silent stream after five seconds.
            keep_alive: Duration::from_secs(4),
            access: AccessOptions::default(),
            tracer: Tracer::off(),
            shutdown: CancellationToken::new(),
        }
    }
}
