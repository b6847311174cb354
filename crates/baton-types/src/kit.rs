//! What an agent has beside its definition: servers it uses, work it offers.
//!
//! None of it is stored with a run. Connection settings may hold secrets, and belong to the place where the agent
//! lives, not to the work that it does.

use crate::{AgentVariables, Include, Json, Permission, PermissionRule, ProviderEntry};
use std::{collections::BTreeMap, fmt, time::Duration};

/// Everything beside the definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentKit {
    /// MCP servers whose tools the agent uses, in the order written.
    pub servers: Vec<McpServer>,
    /// Work that the agent offers as MCP tools.
    pub exports: Vec<ExportedTool>,
    /// Services that its models are reached through, in the order written.
    pub providers: Vec<ProviderEntry>,
    /// Variables of its own.
    pub variables: AgentVariables,
}

/// Work that an agent offers as a tool: calling it runs the agent on a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedTool {
    /// The tool's name.
    pub name: String,
    /// What it does, for those who choose tools.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Json,
    /// The words the agent is given; `{argument}` is replaced by that argument, `{{` is a brace.
    pub prompt: String,
}

/// An MCP server as an agent's definition names it; nothing in it is expanded yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServer {
    /// The key it was written under; its identity, whatever it calls itself.
    pub name: String,
    /// The file that names it, relative to the agent.
    pub file: String,
    /// How to reach it.
    pub transport: McpTransport,
    /// Whether it is used at all.
    pub enabled: bool,
    /// Which openings are tried.
    pub era: McpEra,
    /// How long to wait.
    pub timeouts: McpTimeouts,
    /// Which of its tools may run.
    pub permissions: McpPermissions,
    /// Globs of tools that are offered; empty means all.
    pub include: Vec<String>,
    /// Globs of tools that are not offered.
    pub exclude: Vec<String>,
    /// When its tools are part of a session.
    pub modes: IncludeModes,
    /// What its tools' names begin with; the server's name unless written otherwise, and nothing when empty.
    pub prefix: Option<String>,
    /// Whether a run waits for it until it is ready or has failed.
    pub required: bool,
    /// Whether its own words about its tools (`readOnlyHint`, `idempotentHint`) are believed.
    pub trusted: bool,
    /// How to log in, when it wants that.
    pub oauth: Option<McpOauth>,
}

impl McpServer {
    /// The name of the one server that an agent elsewhere has: its Environment, whose tools keep their own names.
    pub const ENVIRONMENT: &str = "environment";
}

/// How an MCP server is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum McpTransport {
    /// A program that speaks on its standard streams.
    Stdio {
        /// The program; no shell is involved.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables it gets beside the few that every program gets.
        env: BTreeMap<String, String>,
        /// A file of more variables, relative to the agent.
        env_file: Option<String>,
        /// Where it runs, relative to the agent; the agent's directory when not given.
        cwd: Option<String>,
        /// The agent's directory, absolute.
        base: String,
    },
    /// Streamable HTTP.
    Http {
        /// The endpoint.
        url: String,
        /// Sent with every request.
        headers: BTreeMap<String, String>,
    },
    /// The older HTTP+SSE.
    Sse {
        /// The address of the event stream.
        url: String,
        /// Sent with every request.
        headers: BTreeMap<String, String>,
    },
    /// An address alone: streamable HTTP, or HTTP+SSE when that is not spoken there.
    Remote {
        /// The endpoint.
        url: String,
        /// Sent with every request.
        headers: BTreeMap<String, String>,
    },
    /// Part of Baton.
    Internal {
        /// `rules`, `references`, `tools` or `supervision`.
        tool: String,
    },
}

/// Values of variables and headers may be secrets: only their names are shown.
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

/// Which opening of the protocol is tried with a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum McpEra {
    /// The newest first, the older ones if it is not understood.
    #[default]
    Auto,
    /// `initialize` only.
    Legacy,
    /// 2026-07-28 only.
    Modern,
}

/// How long to wait for a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct McpTimeouts {
    /// From the start until it is ready.
    pub startup: Duration,
    /// A call without any sign of life; progress counts as one.
    pub call: Duration,
    /// A call altogether.
    pub total: Duration,
}

impl Default for McpTimeouts {
    fn default() -> Self {
        let minutes = |count: u64| Duration::from_secs(count * 60);
        Self { startup: minutes(1), call: minutes(2), total: minutes(60) }
    }
}

/// Which tools of a server may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpPermissions {
    /// For tools that nothing else names.
    pub default: Permission,
    /// More precisely.
    pub rules: Vec<PermissionRule>,
}

impl Default for McpPermissions {
    fn default() -> Self {
        Self { default: Permission::Ask, rules: Vec::new() }
    }
}

/// When the tools of a server are part of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IncludeModes {
    /// For tools that nothing else names.
    pub default: Include,
    /// Globs of tool names; an exact name counts before a glob, and among equals the first.
    pub tools: Vec<(String, Include)>,
}

/// How to log in at a server that wants OAuth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpOauth {
    /// A client id that was registered by hand.
    pub client_id: Option<String>,
    /// `env://NAME` of its secret.
    pub client_secret: Option<String>,
    /// Scopes to ask for when the server names none.
    pub scopes: Vec<String>,
    /// The port of the address to which the browser returns; any free one when not given.
    pub callback_port: Option<u16>,
}
