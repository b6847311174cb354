//! Resources of an agent outside its definition: MCP servers, exported tools and model providers.
//!
//! They are never stored with a run. Connection settings may hold secrets, and belong to the installation of the agent,
//! not to its work.

use crate::{AgentVariables, InclusionMode, Json, Permission, PermissionRule, ProviderEntry};
use std::{collections::BTreeMap, fmt, time::Duration};

/// Resources of an agent outside its definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentResources {
    /// MCP servers whose tools the agent uses, in written order.
    pub servers: Vec<McpServer>,
    /// Work that the agent offers as MCP tools.
    pub exports: Vec<ExportedTool>,
    /// Model providers, in written order.
    pub providers: Vec<ProviderEntry>,
    /// Variables of the agent.
    pub variables: AgentVariables,
}

/// Work that an agent offers as a tool. A call runs the agent on a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedTool {
    /// Tool name.
    pub name: String,
    /// Description, for tool selection.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Json,
    /// Prompt template: `{argument}` is replaced by that argument, `{{` is a literal brace.
    pub prompt: String,
}

/// MCP server entry of an agent definition; its values are not expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServer {
    /// Key in the definition. This is the identity of the server, whatever name it reports.
    pub name: String,
    /// File that defines it, relative to the agent.
    pub file: String,
    /// Transport.
    pub transport: McpTransport,
    /// Whether the server is used.
    pub enabled: bool,
    /// Protocol handshakes to try.
    pub era: McpEra,
    /// Timeouts.
    pub timeouts: McpTimeouts,
    /// Permissions of its tools.
    pub permissions: McpPermissions,
    /// Globs of tools that are offered; empty offers all.
    pub include: Vec<String>,
    /// Globs of tools that are not offered.
    pub exclude: Vec<String>,
    /// When its tools are part of a session.
    pub modes: InclusionModes,
    /// Prefix of tool names; defaults to the name of the server. An empty prefix adds nothing.
    pub prefix: Option<String>,
    /// Whether a run waits until the server is ready or has failed.
    pub required: bool,
    /// Whether its tool annotations (`readOnlyHint`, `idempotentHint`) are trusted.
    pub trusted: bool,
    /// OAuth settings, if it requires a login.
    pub oauth: Option<McpOauth>,
}

impl McpServer {
    /// Name of the only server of a remote agent: its Environment, whose tools keep their names.
    pub const ENVIRONMENT: &str = "environment";
}

/// Transport of an MCP server.
#[derive(Clone, PartialEq, Eq)]
pub enum McpTransport {
    /// A program that communicates over its standard streams.
    Stdio {
        /// Program; no shell is involved.
        command: String,
        /// Arguments.
        args: Vec<String>,
        /// Environment variables, in addition to the few that every program gets.
        env: BTreeMap<String, String>,
        /// File with more environment variables, relative to the agent.
        env_file: Option<String>,
        /// Working directory, relative to the agent; defaults to the directory of the agent.
        cwd: Option<String>,
        /// Directory of the agent, absolute.
        base: String,
    },
    /// Streamable HTTP.
    Http {
        /// Endpoint.
        url: String,
        /// Headers of every request.
        headers: BTreeMap<String, String>,
    },
    /// Legacy HTTP+SSE.
    Sse {
        /// Address of the event stream.
        url: String,
        /// Headers of every request.
        headers: BTreeMap<String, String>,
    },
    /// Address only: streamable HTTP, with HTTP+SSE as fallback.
    Remote {
        /// Endpoint.
        url: String,
        /// Headers of every request.
        headers: BTreeMap<String, String>,
    },
    /// Built into Baton.
    Internal {
        /// `rules`, `references`, `tools` or `supervision`.
        tool: String,
    },
}

/// Shows names only: values of variables and headers may be secrets.
impl fmt::Debug for McpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |map: &BTreeMap<String, String>| map.keys().cloned().collect::<Vec<_>>();
        match self {
            Self::Stdio { command, args, env, env_file, cwd, base } => f
                .debug_struct("Stdio")
                .field("command", command)
                .field("args", &args.len())
                .field("env", &names(env))
                .field("env_file", env_file)
                .field("cwd", cwd)
                .field("base", base)
                .finish(),
            Self::Http { headers, .. } => f.debug_struct("Http").field("headers", &names(headers)).finish(),
            Self::Sse { headers, .. } => f.debug_struct("Sse").field("headers", &names(headers)).finish(),
            Self::Remote { headers, .. } => f.debug_struct("Remote").field("headers", &names(headers)).finish(),
            Self::Internal { tool } => f.debug_struct("Internal").field("tool", tool).finish(),
        }
    }
}

/// Protocol handshakes to try with a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum McpEra {
    /// Newest first, older ones as fallback.
    #[default]
    Auto,
    /// `initialize` only.
    Legacy,
    /// 2026-07-28 only.
    Modern,
}

/// Timeouts of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McpTimeouts {
    /// From start until ready.
    pub startup: Duration,
    /// Idle timeout of a call; progress notifications reset it.
    pub call: Duration,
    /// Total timeout of a call.
    pub total: Duration,
}

impl Default for McpTimeouts {
    fn default() -> Self {
        let minutes = |count: u64| Duration::from_secs(count * 60);
        Self { startup: minutes(1), call: minutes(2), total: minutes(60) }
    }
}

/// Permissions of a server's tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpPermissions {
    /// Default permission.
    pub default: Permission,
    /// Rules that override the default.
    pub rules: Vec<PermissionRule>,
}

impl Default for McpPermissions {
    fn default() -> Self {
        Self { default: Permission::Ask, rules: Vec::new() }
    }
}

/// When the tools of a server are part of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InclusionModes {
    /// Default mode.
    pub default: InclusionMode,
    /// Modes by tool name glob. An exact name precedes a glob; among equals the first applies.
    pub tools: Vec<(String, InclusionMode)>,
}

/// OAuth settings of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpOauth {
    /// Manually registered client id.
    pub client_id: Option<String>,
    /// Client secret, as `env://NAME`.
    pub client_secret: Option<String>,
    /// Scopes to request if the server names none.
    pub scopes: Vec<String>,
    /// Port of the redirect address; any free port by default.
    pub callback_port: Option<u16>,
}
