//! Options of the HTTP surface.

use crate::{
    AccessOptions, CallerServerPorts, CorsOrigins, DefinitionPorts, ExportPorts, McpPorts, MeterPorts, PeerPorts,
    ResponsesOptions, ToolPorts,
};
use baton_ports::{CardSigner, SpanStore};
use baton_telemetry::Tracer;
use baton_types::{A2aSettings, Timestamp};
use baton_wire::a2a::v1::{AgentExtension, CardBinding};
use std::{fmt, net::SocketAddr, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Limits, addresses and ports of the HTTP surface.
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
    /// Defaults for OpenAI-compatible requests.
    pub responses: ResponsesOptions,
    /// Authentication and access options.
    pub access: AccessOptions,
    /// Remote agents; `None` disables them.
    pub peers: Option<PeerPorts>,
    /// Tool execution for callers; `None` disables it.
    pub tools: Option<ToolPorts>,
    /// Connections to MCP servers given in requests; `None` rejects such requests.
    pub caller_servers: Option<CallerServerPorts>,
    /// Repository of agent definitions; without it agents, tool permissions and saved session settings cannot be
    /// changed.
    pub definitions: Option<DefinitionPorts>,
    /// MCP services; `None` disables MCP.
    pub mcp: Option<McpPorts>,
    /// Signer of agent cards; without it cards are unsigned.
    pub signer: Option<Arc<dyn CardSigner>>,
    /// Offered A2A features.
    pub a2a: A2aOptions,
    /// Span store and queries; `None` disables them.
    pub spans: Option<SpanPorts>,
    /// Status of telemetry exports; `None` if nothing is exported.
    pub exports: Option<ExportPorts>,
    /// Metrics; `None` disables them.
    pub meters: Option<MeterPorts>,
    /// Tracer of request spans.
    pub tracer: Tracer,
    /// Ends every stream when cancelled; pass the same token to [`crate::serve`].
    pub shutdown: CancellationToken,
}

/// Access to the span store.
#[derive(Clone)]
pub struct SpanPorts {
    /// Span store, which also evaluates TraceQL.
    pub store: Arc<dyn SpanStore>,
}

impl fmt::Debug for SpanPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SpanPorts")
    }
}

/// Offered A2A features, as listed in cards.
#[derive(Clone, Debug)]
pub struct A2aOptions {
    /// Whether replies and tasks can be streamed.
    pub streaming: bool,
    /// Whether push notifications are supported.
    pub push: bool,
    /// Whether an extended card is available.
    pub extended_card: bool,
    /// Interpretation of a request without a version.
    pub version_rule: VersionRule,
    /// Bindings in cards, preferred first. All bindings are served.
    pub bindings: Vec<CardBinding>,
    /// Extensions in addition to Baton's own. Clients must name the required ones.
    pub extensions: Vec<AgentExtension>,
    /// Default reply settings for agents without their own.
    pub settings: A2aSettings,
    /// Maximum wait for a task change.
    pub max_poll_wait: Duration,
}

impl Default for A2aOptions {
    fn default() -> Self {
        Self {
            streaming: true,
            push: true,
            extended_card: true,
            version_rule: VersionRule::default(),
            bindings: CardBinding::DEFAULT.to_vec(),
            extensions: Vec::new(),
            settings: A2aSettings::default(),
            max_poll_wait: Duration::from_secs(30),
        }
    }
}

/// Interpretation of a request without the `A2A-Version` header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VersionRule {
    /// By method name: a 1.0 method name means 1.0, because hand-written requests often omit the header.
    #[default]
    ByMethod,
    /// Always 0.3, as the specification requires; 1.0 method names are rejected.
    Strict,
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
            responses: ResponsesOptions::default(),
            access: AccessOptions::default(),
            peers: None,
            mcp: None,
            tools: None,
            caller_servers: None,
            definitions: None,
            signer: None,
            a2a: A2aOptions::default(),
            spans: None,
            exports: None,
            meters: None,
            tracer: Tracer::off(),
            shutdown: CancellationToken::new(),
        }
    }
}
