//! What the surface is told at start.

use crate::{
    AccessOptions, CorsOrigins, DefinitionPorts, ExportPorts, GuestPorts, McpPorts, MeterPorts, PeerPorts,
    PermissionPorts, ResponsesOptions, SessionPorts, ToolPorts,
};
use baton_ports::{CardSigner, SpanStore};
use baton_telemetry::Tracer;
use baton_types::{A2aSettings, Timestamp};
use baton_wire::a2a::v1::{AgentExtension, CardBinding};
use std::{fmt, net::SocketAddr, sync::Arc, time::Duration};
use tokio_util::sync::CancellationToken;

/// Bounds and addresses of the HTTP surface.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// Where the listener is bound; its address is a valid host name of requests.
    pub bound: Option<SocketAddr>,
    /// The URL that cards show, without a slash at its end; the request's own host when not given.
    pub public_url: Option<String>,
    /// Further host names that requests and web pages may use.
    pub allow_hosts: Vec<String>,
    /// Whether connections are secured, so that addresses in cards begin with `https`.
    pub tls: bool,
    /// Web pages of other origins that may call.
    pub cors_origins: CorsOrigins,
    /// When the process started: the `Last-Modified` of cards.
    pub started_at: Timestamp,
    /// Largest request body in bytes.
    pub max_body: usize,
    /// Most bytes of all the request bodies that are arriving or not yet read; further ones are told to come back.
    pub max_bodies_total: usize,
    /// A body that takes longer is given up.
    pub body_timeout: Duration,
    /// Streams at the same time.
    pub max_streams: usize,
    /// Percent of the streams, sockets and body bytes that one principal may hold at the same time; without
    /// authentication, one client address.
    pub principal_share: u8,
    /// How often an idle stream says that it is alive.
    pub keep_alive: Duration,
    /// How requests of OpenAI's dialects are taken that leave something open.
    pub responses: ResponsesOptions,
    /// Who may come in.
    pub access: AccessOptions,
    /// Who knows agents elsewhere; without it there are none.
    pub peers: Option<PeerPorts>,
    /// Who runs tools for callers; without it nobody does.
    pub tools: Option<ToolPorts>,
    /// Who connects to MCP servers that requests bring; without it they are refused.
    pub guests: Option<GuestPorts>,
    /// Who writes words about tools into definitions; without it nobody does.
    pub permissions: Option<PermissionPorts>,
    /// Who keeps definitions; without them agents are neither made nor changed.
    pub definitions: Option<DefinitionPorts>,
    /// Who writes settings of sessions into definitions; without it nobody does.
    pub sessions: Option<SessionPorts>,
    /// Who answers MCP requests; without it nobody does.
    pub mcp: Option<McpPorts>,
    /// Who signs cards; without it they carry no signatures.
    pub signer: Option<Arc<dyn CardSigner>>,
    /// What of A2A is offered.
    pub a2a: A2aOptions,
    /// Who keeps spans and answers questions about them; without it nobody does.
    pub spans: Option<SpanPorts>,
    /// Who sends on what is kept; without it nobody does.
    pub exports: Option<ExportPorts>,
    /// Who counts and times; without it nobody does.
    pub meters: Option<MeterPorts>,
    /// Who makes spans of requests.
    pub tracer: Tracer,
    /// Ends every stream when cancelled; give the same one to [`crate::serve`].
    pub shutdown: CancellationToken,
}

/// Who keeps spans.
#[derive(Clone)]
pub struct SpanPorts {
    /// Keeps them and answers TraceQL.
    pub store: Arc<dyn SpanStore>,
}

impl fmt::Debug for SpanPorts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SpanPorts")
    }
}

/// What of A2A is offered; cards say the same.
#[derive(Clone, Debug)]
pub struct A2aOptions {
    /// Whether replies and tasks can be streamed.
    pub streaming: bool,
    /// Whether callers can have notifications pushed to them.
    pub push: bool,
    /// Whether there is a card that says more than the public one.
    pub extended_card: bool,
    /// What a request without a version means.
    pub version_rule: VersionRule,
    /// The bindings that cards list, preferred first; all of them are served.
    pub bindings: Vec<CardBinding>,
    /// Extensions besides Baton's own; senders must name those that are required.
    pub extensions: Vec<AgentExtension>,
    /// How answers appear, where the agent does not say.
    pub settings: A2aSettings,
    /// How long a caller may wait for a task to change.
    pub longest_poll: Duration,
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
            longest_poll: Duration::from_secs(30),
        }
    }
}

/// What a request without the `A2A-Version` header means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VersionRule {
    /// The method name tells: names of 1.0 are 1.0, because hand-written requests forget the header.
    #[default]
    ByMethod,
    /// It means 0.3, as the specification says, and names of 1.0 are refused.
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
            // Common HTTP clients, the official Python one among them, give a silent stream up after five seconds.
            keep_alive: Duration::from_secs(4),
            responses: ResponsesOptions::default(),
            access: AccessOptions::default(),
            peers: None,
            mcp: None,
            tools: None,
            guests: None,
            permissions: None,
            definitions: None,
            sessions: None,
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
