//! Options of the HTTP surface.

use baton_http::{CorsOrigins, RateLimit, TlsFiles};
use baton_http_a2a::A2aOptions;
use baton_http_openai::ResponsesOptions;
use baton_identity::IssuerConfig;

/// HTTP surface of a server that listens.
#[derive(Clone, Debug, Default)]
pub struct ListenerOptions {
    /// Public URL in cards, without a trailing slash; the host of the request if not set.
    pub public_url: Option<String>,
    /// Additional allowed host names for requests and web pages.
    pub allow_hosts: Vec<String>,
    /// Origins of web pages that may call the server.
    pub cors_origins: CorsOrigins,
    /// Certificate; connections are not encrypted without it.
    pub tls: Option<TlsFiles>,
    /// Identity and access of callers.
    pub identity: IdentityOptions,
    /// Limits; the defaults of the surface if not given.
    pub limits: ListenerLimits,
    /// Offered A2A features.
    pub a2a: A2aOptions,
    /// Defaults for OpenAI-compatible requests.
    pub responses: ResponsesOptions,
}

/// Identity and access of callers. By default every caller is the owner, which is safe on loopback only.
#[derive(Clone, Default)]
pub struct IdentityOptions {
    /// Whether callers must present a token.
    pub required: bool,
    /// Token of the server's owner.
    pub owner_token: Option<String>,
    /// Issuers of accepted JSON Web Tokens, in addition to tokens issued by the server.
    pub issuers: Vec<IssuerConfig>,
    /// Whether agent cards require a token.
    pub private_cards: bool,
    /// Whether metrics are public although tokens are required.
    pub public_metrics: bool,
    /// Rate limit per caller; unlimited if not given.
    pub rate_limit: Option<RateLimit>,
}

/// Omits the token.
impl std::fmt::Debug for IdentityOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IdentityOptions").field("required", &self.required).finish_non_exhaustive()
    }
}

/// Limits of the HTTP server; its defaults if not given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListenerLimits {
    /// Maximum request body.
    pub body_bytes: Option<usize>,
    /// Maximum concurrent connections.
    pub max_connections: Option<usize>,
    /// Maximum concurrent streams.
    pub max_streams: Option<usize>,
    /// Percent of each pool that one principal may hold.
    pub principal_share: Option<u8>,
}
