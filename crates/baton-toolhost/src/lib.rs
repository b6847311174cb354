//! The tools of an agent: programs, HTTP services, Rust functions and the tools of MCP servers.
//!
//! This crate must never let one server harm another or delay an agent: every server has its own state machine, limits
//! and log. It never trusts the self-description of a server unless the agent's definition marks the server as trusted,
//! never starts a shell, and never shows a secret in a status, an error or a log.
//!
//! Read first: [`Toolbox`] (the port `ToolHost` for every kind of tool), [`McpServers`] (an agent's MCP servers and the
//! calls to them), [`ServerConnector`] (opens a connection).

#![expect(deprecated, reason = "sampling, roots and logging are on their way out of MCP, and servers still use them")]

mod caller_servers;
mod command;
mod connect;
mod http_tool;
mod internal;
mod native;
mod oauth;
mod peer_connect;
mod servers;
mod toolbox;
mod transport;

pub use caller_servers::CallerServerHost;
pub use command::CommandTools;
pub use connect::{
    BoxedTransport, BoxedTransportError, ConnectAttempt, ConnectError, ConnectTarget, ConnectorRegistry,
    ServerConnector, ServerLog, TransportKind,
};
pub use http_tool::{HttpTools, TemplateError, UrlTemplate};
pub use internal::{InternalConnector, InternalPorts};
pub use native::{NativeTools, Tool, ToolContext, ToolError, ToolProblem};
pub use oauth::{Authorizer, Browser, Challenge, LoginError, LoopbackBrowser, OauthAccount, login};
pub use peer_connect::PeerConnect;
pub use servers::{
    CALL_META, CallObserver, CallOptions, DEPTH_META, HostSettings, McpServers, OfferedPrompt, OfferedTool,
    ServerError, ServerEvent, ServerItem, ServerReply, TASK_META,
};
pub use toolbox::Toolbox;
pub use transport::{
    ExpandError, ExpandedTransport, RemoteConnector, RemoteError, RemoteServer, RemoteSettings, StdioConnector,
    Variables, expand, needs_login, reap_groups, sse, streamable,
};
